package io.weir.path;

import io.weir.core.ProtocolMismatch;
import io.weir.core.Sha256;
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

/**
 * The key pair of a node, of X25519 (RFC 7748). The node's id is made of the public key, so only who has the private
 * one can prove that the id is its own. Immutable; prints no key.
 */
public final class NodeKey {

    private static final String CURVE = "X25519";

    /** What is hashed with a public key. */
    private static final byte[] PURPOSE = "weir node".getBytes(StandardCharsets.US_ASCII);

    /** What RFC 8410 puts before a public key. */
    private static final byte[] PUBLIC = HexFormat.of().parseHex("302a300506032b656e032100");

    private final KeyPair pair;
    private final byte[] publicKey;

    NodeKey(KeyPair pair) {
        this.pair = pair;
        this.publicKey = bytes(pair.getPublic());
    }

    /** A new one, which nobody has had before. */
    public static NodeKey generate() {
        return new NodeKey(generatePair());
    }

    static KeyPair generatePair() {
        try {
            return KeyPairGenerator.getInstance(CURVE).generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** The id of the node that has this key. */
    public UUID id() {
        return idOf(publicKey);
    }

    /** The id of a node by its public key: a UUID of version 8, which is a hash of it. */
    static UUID idOf(byte[] publicKey) {
        ByteBuffer hash = ByteBuffer.wrap(Sha256.hash(PURPOSE, publicKey));
        long most = (hash.getLong() & ~0xf000L) | 0x8000;
        long least = (hash.getLong() & ~(3L << 62)) | (1L << 63);
        return new UUID(most, least);
    }

    byte[] publicKey() {
        return publicKey.clone();
    }

    /** What both owners of these keys know, and nobody else. */
    byte[] agree(byte[] there) {
        return agree(pair.getPrivate(), there);
    }

    /**
     * The same with any private key.
     *
     * @throws ProtocolMismatch if the other side's is no key, or one of those with which everybody knows the outcome
     */
    static byte[] agree(PrivateKey here, byte[] there) {
        try {
            KeyAgreement agreement = KeyAgreement.getInstance(CURVE);
            agreement.init(here);
            agreement.doPhase(publicKey(there), true);
            byte[] secret = agreement.generateSecret();
            if (MessageDigest.isEqual(secret, new byte[secret.length])) {
                // Not every provider looks.
                throw new InvalidKeyException("of small order");
            }
            return secret;
        } catch (InvalidKeyException e) {
            throw new ProtocolMismatch("its public key is none to agree on anything with", e);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    static PublicKey publicKey(byte[] raw) throws GeneralSecurityException {
        byte[] encoded = Arrays.copyOf(PUBLIC, PUBLIC.length + raw.length);
        System.arraycopy(raw, 0, encoded, PUBLIC.length, raw.length);
        return KeyFactory.getInstance(CURVE).generatePublic(new X509EncodedKeySpec(encoded));
    }

    /** As it stands on the wire. */
    static byte[] bytes(PublicKey key) {
        byte[] encoded = key.getEncoded();
        return Arrays.copyOfRange(encoded, PUBLIC.length, encoded.length);
    }

    private static IllegalStateException missing(GeneralSecurityException e) {
        return new IllegalStateException("every Java from 11 on has " + CURVE, e);
    }

    @Override
    public String toString() {
        return "NodeKey[" + id() + ']';
    }
}
