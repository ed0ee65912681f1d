package io.weir.transport.nativelib;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Random bytes that can't be guessed. Immutable, if nobody changes the bytes. */
public final class Nonce {

    /** How many they are. */
    public static final int BYTES = 16;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;

    /** Takes over the array. */
    public Nonce(byte[] bytes) {
        this.bytes = bytes;
    }

    /** New ones. */
    public static Nonce random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new Nonce(bytes);
    }

    /** Not a copy. */
    public byte[] bytes() {
        return bytes;
    }

    /** Compares in the same time whatever differs. */
    public boolean matches(byte[] other) {
        return MessageDigest.isEqual(bytes, other);
    }

    /** Digits fit for a file's name. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }
}
