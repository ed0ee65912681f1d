package io.weir.transport.shm;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Random bytes that can't be guessed. */
final class Nonce {

    static final int BYTES = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;

    /** Takes over the array. */
    Nonce(byte[] bytes) {
        this.bytes = bytes;
    }

    static Nonce random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Nonce(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Compares in the same time whatever differs. */
    boolean matches(byte[] other) {
        return MessageDigest.isEqual(bytes, other);
    }

    /** Digits fit for a file's name. */
    String hex() {
        return HexFormat.of().formatHex(bytes);
    }
}
