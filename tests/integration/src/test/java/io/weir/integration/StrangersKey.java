package io.weir.integration;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import java.util.UUID;
import javax.crypto.KeyAgreement;
import org.jspecify.annotations.Nullable;

/** A key pair of X25519 (RFC 7748), and the id that belongs to it. */
final class StrangersKey {

    static final int LENGTH = 32;

    private static final String X25519 = "X25519";

    /** Null if there is none for this public half. */
    private final @Nullable PrivateKey secret;

    private final byte[] open;

    private StrangersKey(@Nullable PrivateKey secret, byte[] open) {
        this.secret = secret;
        this.open = open;
    }

    /** A new one. */
    static StrangersKey make() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(X25519).generateKeyPair();
            return new StrangersKey(pair.getPrivate(), bytes(((XECPublicKey) pair.getPublic()).getU()));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** A public half of small order: whoever agrees with it gets zeros, and everybody knows that. */
    static StrangersKey ofSmallOrder(byte[] open) {
        return new StrangersKey(null, open.clone());
    }

    /** The public half, as it is on the wire. */
    byte[] open() {
        return open.clone();
    }

    /** What this key pair and the one of that public half have in common. */
    byte[] agree(byte[] with) {
        if (secret == null) {
            return new byte[LENGTH];
        }
        try {
            KeyAgreement agreement = KeyAgreement.getInstance(X25519);
            agreement.init(secret);
            var unused = agreement.doPhase(open(with), true);
            return agreement.generateSecret();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The id of the node whose key has this public half. */
    static UUID id(byte[] open) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update("weir node".getBytes(StandardCharsets.US_ASCII));
            byte[] hash = sha256.digest(open);
            hash[6] = (byte) (hash[6] & 0x0f | 0x80);
            hash[8] = (byte) (hash[8] & 0x3f | 0x80);
            ByteBuffer id = ByteBuffer.wrap(hash);
            return new UUID(id.getLong(), id.getLong());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(BigInteger coordinate) {
        byte[] open = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            open[i] = coordinate.shiftRight(8 * i).byteValue();
        }
        return open;
    }

    private static PublicKey open(byte[] bytes) throws GeneralSecurityException {
        BigInteger coordinate = BigInteger.ZERO;
        for (int i = LENGTH - 1; i >= 0; i--) {
            coordinate = coordinate.shiftLeft(8).or(BigInteger.valueOf(bytes[i] & 0xff));
        }
        // The highest bit does not belong to it.
        XECPublicKeySpec spec = new XECPublicKeySpec(NamedParameterSpec.X25519, coordinate.clearBit(255));
        return KeyFactory.getInstance(X25519).generatePublic(spec);
    }
}
