package io.weir.samples.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The connecting side of the exchange on the page of the wire, without a secret: as somebody writes it who has the page
 * and the Noise specification, and not our code.
 */
final class WireExchange {

    private static final byte[] NOTHING = {};
    private static final int SEALED_KEY = 48;

    private final byte[] own;
    private final byte[] ephemeral;
    private byte[] there = NOTHING;
    private byte[] h = "Noise_XXpsk3_25519_AESGCM_SHA256".getBytes(StandardCharsets.US_ASCII);
    private byte[] ck = h;
    private byte[] k = NOTHING;
    private long n;

    /**
     * @param own the private half of the node's key
     * @param ephemeral that of the key of this connection
     */
    WireExchange(byte[] own, byte[] ephemeral) {
        this.own = own;
        this.ephemeral = ephemeral;
    }

    /** The bodies of both HELLOs, over a connection without TLS, and the ephemeral key of the accepting side. */
    void begin(byte[] helloOfC, byte[] helloOfA, byte[] key) throws GeneralSecurityException {
        there = key;
        ByteBuffer prologue =
                ByteBuffer.allocate(12 + helloOfC.length + helloOfA.length).order(ByteOrder.LITTLE_ENDIAN);
        prologue.putInt(helloOfC.length).put(helloOfC).putInt(helloOfA.length).put(helloOfA);
        mixHash(prologue.putInt(0).array());
        e(publicKey(ephemeral));
        var unused = seal(NOTHING);
    }

    /** Takes the first PROOF of the accepting side, whose id has to be this one; returns ours. */
    byte[] answer(byte[] proof, byte[] id) throws GeneralSecurityException {
        e(there);
        mixKey(agree(ephemeral, there));
        byte[] its = open(Arrays.copyOf(proof, SEALED_KEY));
        assertThat(id).as("the id that belongs to the key").isEqualTo(id(its));
        mixKey(agree(ephemeral, its));
        assertThat(open(Arrays.copyOfRange(proof, SEALED_KEY, proof.length))).isEmpty();
        byte[] ours = seal(publicKey(own));
        mixKey(agree(own, there));
        byte[][] parts = hkdf(new byte[32], 3);
        ck = parts[0];
        mixHash(parts[1]);
        k = parts[2];
        n = 0;
        return joined(ours, seal(NOTHING));
    }

    /** What the second PROOF of the accepting side says. */
    byte[] opened(byte[] proof) throws GeneralSecurityException {
        return crypt(Cipher.DECRYPT_MODE, hkdf(NOTHING, 2)[1], 0, NOTHING, proof);
    }

    /** As it stands in HELLO. */
    static byte[] id(byte[] publicKey) throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update("weir node".getBytes(StandardCharsets.US_ASCII));
        byte[] id = Arrays.copyOf(digest.digest(publicKey), 16);
        id[6] = (byte) ((id[6] & 0x0f) | 0x80);
        id[8] = (byte) ((id[8] & 0x3f) | 0x80);
        ByteBuffer words = ByteBuffer.wrap(id);
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(words.getLong())
                .putLong(words.getLong())
                .array();
    }

    static byte[] publicKey(byte[] privateKey) throws GeneralSecurityException {
        byte[] base = new byte[32];
        base[0] = 9;
        return agree(privateKey, base);
    }

    private static byte[] agree(byte[] privateKey, byte[] publicKey) throws GeneralSecurityException {
        byte[] big = new byte[32];
        for (int i = 0; i < 32; i++) {
            big[i] = publicKey[31 - i];
        }
        big[0] &= 0x7f;
        KeyFactory keys = KeyFactory.getInstance("X25519");
        PrivateKey here = keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, privateKey));
        XECPublicKey its = (XECPublicKey)
                keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, new BigInteger(1, big)));
        KeyAgreement agreement = KeyAgreement.getInstance("X25519");
        agreement.init(here);
        agreement.doPhase(its, true);
        return agreement.generateSecret();
    }

    private void e(byte[] key) throws GeneralSecurityException {
        mixHash(key);
        mixKey(key);
    }

    private void mixHash(byte[] data) throws GeneralSecurityException {
        h = MessageDigest.getInstance("SHA-256").digest(joined(h, data));
    }

    private void mixKey(byte[] material) throws GeneralSecurityException {
        byte[][] parts = hkdf(material, 2);
        ck = parts[0];
        k = parts[1];
        n = 0;
    }

    private byte[][] hkdf(byte[] material, int count) throws GeneralSecurityException {
        byte[] key = hmac(ck, material);
        byte[][] parts = new byte[count][];
        byte[] last = NOTHING;
        for (int i = 0; i < count; i++) {
            last = hmac(key, joined(last, new byte[] {(byte) (i + 1)}));
            parts[i] = last;
        }
        return parts;
    }

    private static byte[] hmac(byte[] key, byte[] data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(data);
    }

    private byte[] seal(byte[] payload) throws GeneralSecurityException {
        byte[] sealed = crypt(Cipher.ENCRYPT_MODE, k, n++, h, payload);
        mixHash(sealed);
        return sealed;
    }

    private byte[] open(byte[] sealed) throws GeneralSecurityException {
        byte[] payload = crypt(Cipher.DECRYPT_MODE, k, n++, h, sealed);
        mixHash(sealed);
        return payload;
    }

    private static byte[] crypt(int mode, byte[] key, long nonce, byte[] associated, byte[] data)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] iv = ByteBuffer.allocate(12).putInt(0).putLong(nonce).array();
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, iv));
        cipher.updateAAD(associated);
        return cipher.doFinal(data);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
