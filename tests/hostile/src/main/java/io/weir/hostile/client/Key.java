package io.weir.hostile.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.KeyAgreement;
import org.jspecify.annotations.Nullable;

/** A key pair of X25519 (RFC 7748); or a public half alone, with which everybody knows the outcome. */
public final class Key {

    public static final int LENGTH = 32;

    private static final String X25519 = "X25519";

    /** What stands before the public half where the JDK reads or writes one (RFC 8410). */
    private static final byte[] BEFORE = HexFormat.of().parseHex("302a300506032b656e032100");

    private static final int VERSION = 6;
    private static final int VARIANT = 8;

    private final byte[] bytes;
    private final @Nullable PrivateKey secret;

    private Key(byte[] bytes, @Nullable PrivateKey secret) {
        this.bytes = bytes;
        this.secret = secret;
    }

    public static Key fresh() {
        try {
            KeyPair pair = KeyPairGenerator.getInstance(X25519).generateKeyPair();
            byte[] encoded = pair.getPublic().getEncoded();
            return new Key(Arrays.copyOfRange(encoded, BEFORE.length, encoded.length), pair.getPrivate());
        } catch (GeneralSecurityException missing) {
            throw missing(missing);
        }
    }

    /** A point of small order, which has no private half that matters: every outcome is zeros. */
    public static Key ofSmallOrder(byte[] point) {
        return new Key(point.clone(), null);
    }

    /** The public half. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The id of the node whose key this is. */
    public UUID id() {
        return id(bytes);
    }

    /** The id of the node that has this public half. */
    static UUID id(byte[] bytes) {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            hash.update("weir node".getBytes(StandardCharsets.US_ASCII));
            byte[] id = hash.digest(bytes);
            id[VERSION] = (byte) (id[VERSION] & 0x0f | 0x80);
            id[VARIANT] = (byte) (id[VARIANT] & 0x3f | 0x80);
            ByteBuffer words = ByteBuffer.wrap(id);
            return new UUID(words.getLong(), words.getLong());
        } catch (GeneralSecurityException missing) {
            throw missing(missing);
        }
    }

    /** The outcome with somebody's public half. */
    byte[] with(byte[] other) throws IOException {
        if (secret == null) {
            return new byte[LENGTH];
        }
        try {
            PublicKey point = KeyFactory.getInstance(X25519)
                    .generatePublic(new X509EncodedKeySpec(
                            new Bytes().bytes(BEFORE).bytes(other).toArray()));
            KeyAgreement agreement = KeyAgreement.getInstance(X25519);
            agreement.init(secret);
            agreement.doPhase(point, true);
            return agreement.generateSecret();
        } catch (InvalidKeyException small) {
            throw new IOException("everybody knows the outcome with this key", small);
        } catch (GeneralSecurityException missing) {
            throw missing(missing);
        }
    }

    private static IllegalStateException missing(GeneralSecurityException missing) {
        return new IllegalStateException("X25519 and SHA-256 are part of every JDK", missing);
    }
}
