package io.weir.path;

import io.weir.core.AuthenticationFailed;
import io.weir.core.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * One side of a key exchange, {@code Noise_XXpsk3_25519_AESGCM_SHA256} as revision 34 of the Noise Protocol Framework
 * describes it. Not thread-safe.
 *
 * <pre>
 *   connecting side   e, payload
 *   accepting side    e, ee, s, es, payload
 *   connecting side   s, se, psk, payload
 *   both              what follows is sealed with a key for each direction
 * </pre>
 *
 * <p>The ephemeral public keys travel beforehand, apart from the messages: a message here is what comes behind its
 * {@code e}. Nothing in the exchange depends on when they were sent. A {@link #copy()} goes on by itself, so that more
 * than one pre-shared key can be tried.
 */
final class Noise {

    /** Bytes of a public key. */
    static final int KEY = 32;

    /** Bytes by which what is sealed is longer than what is not. */
    static final int TAG = 16;

    /** Has as many bytes as a hash, so it is the first one as it stands. */
    private static final byte[] NAME = "Noise_XXpsk3_25519_AESGCM_SHA256".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] NOTHING = {};
    private static final String HMAC = "HmacSHA256";

    private final boolean connecting;
    private final NodeKey own;
    private final KeyPair ephemeral;
    private byte[] ephemeralThere = NOTHING;
    private byte @Nullable [] staticThere;

    /** The chaining key. */
    private byte[] chain;

    private byte[] hash;
    private byte[] key = NOTHING;
    private long nonce;

    /**
     * @param own the key by which this side is known
     * @param ephemeral a key pair that is used for this exchange only
     * @param prologue what both sides have to agree on; the exchange fails where they do not
     */
    Noise(boolean connecting, NodeKey own, KeyPair ephemeral, byte[] prologue) {
        this.connecting = connecting;
        this.own = own;
        this.ephemeral = ephemeral;
        this.chain = NAME.clone();
        this.hash = NAME.clone();
        mixHash(prologue);
    }

    private Noise(Noise from) {
        connecting = from.connecting;
        own = from.own;
        ephemeral = from.ephemeral;
        ephemeralThere = from.ephemeralThere;
        staticThere = from.staticThere;
        chain = from.chain;
        hash = from.hash;
        key = from.key;
        nonce = from.nonce;
    }

    /** The same state once more. */
    Noise copy() {
        return new Noise(this);
    }

    /** The public key by which the other side is known, as it has proved. Not before its message with {@code s}. */
    byte[] staticThere() {
        return Objects.requireNonNull(staticThere).clone();
    }

    /** What both sides have said until now, and nobody else could have. */
    byte[] hash() {
        return hash.clone();
    }

    /**
     * The first message. Its key is known to everybody, so both sides can make it, and it need not be sent.
     *
     * @param there the ephemeral public key of the other side, for later
     */
    byte[] first(byte[] there, byte[] payload) {
        ephemeralThere = there;
        ephemeralKey(connecting ? NodeKey.bytes(ephemeral.getPublic()) : there);
        return seal(payload);
    }

    /** The accepting side's message. */
    byte[] second(byte[] payload) {
        ephemeralKey(NodeKey.bytes(ephemeral.getPublic()));
        mixKey(NodeKey.agree(ephemeral.getPrivate(), ephemeralThere));
        byte[] itself = seal(own.publicKey());
        mixKey(own.agree(ephemeralThere));
        return both(itself, seal(payload));
    }

    /** Takes it on the connecting side; returns the payload. */
    byte[] readSecond(byte[] message) {
        ephemeralKey(ephemeralThere);
        mixKey(NodeKey.agree(ephemeral.getPrivate(), ephemeralThere));
        byte[] there = open(Arrays.copyOf(message, KEY + TAG));
        staticThere = there;
        mixKey(NodeKey.agree(ephemeral.getPrivate(), there));
        return open(Arrays.copyOfRange(message, KEY + TAG, message.length));
    }

    /** The beginning of the connecting side's second message; {@link #shared} and {@link #seal} are the rest. */
    byte[] third() {
        byte[] itself = seal(own.publicKey());
        mixKey(own.agree(ephemeralThere));
        return itself;
    }

    /** Takes it on the accepting side. */
    void readThird(byte[] message) {
        byte[] there = open(message);
        staticThere = there;
        mixKey(NodeKey.agree(ephemeral.getPrivate(), there));
    }

    /** The pre-shared key, of 32 bytes. */
    void shared(byte[] psk) {
        byte[][] parts = derive(psk, 3);
        chain = parts[0];
        mixHash(parts[1]);
        key(parts[2]);
    }

    /** The exchange is complete: the keys for what the connecting side sends, and for what the accepting side does. */
    byte[][] split() {
        return derive(NOTHING, 2);
    }

    /** Sealed as the end of a handshake message. */
    byte[] seal(byte[] payload) {
        byte[] sealed = encrypt(key, nonce++, hash, payload);
        mixHash(sealed);
        return sealed;
    }

    /**
     * Opened again.
     *
     * @throws AuthenticationFailed if the other side has not the same keys, or has not heard the same
     */
    byte[] open(byte[] sealed) {
        byte[] payload = opens(sealed);
        if (payload == null) {
            throw notOpened();
        }
        return payload;
    }

    /** The same; null where that throws. What is left then is of no use. */
    byte @Nullable [] opens(byte[] sealed) {
        byte[] payload = decrypt(key, nonce++, hash, sealed);
        mixHash(sealed);
        return payload;
    }

    /** What can be said of a message that can't be opened. */
    static AuthenticationFailed notOpened() {
        return new AuthenticationFailed("what it has sealed can't be opened: what was said was changed on the way, or"
                + " somebody in between ends the encryption; use a connection that leads to the node itself");
    }

    /** One message of the transport phase, by one of the keys of {@link #split}. */
    static byte[] seal(byte[] key, long nonce, byte[] payload) {
        return encrypt(key, nonce, NOTHING, payload);
    }

    /** Opened again; null if it was sealed by another key, or changed. */
    static byte @Nullable [] opens(byte[] key, long nonce, byte[] sealed) {
        return decrypt(key, nonce, NOTHING, sealed);
    }

    private void ephemeralKey(byte[] publicKey) {
        mixHash(publicKey);
        // As every exchange with a pre-shared key does.
        mixKey(publicKey);
    }

    private void mixKey(byte[] material) {
        byte[][] parts = derive(material, 2);
        chain = parts[0];
        key(parts[1]);
    }

    private void key(byte[] next) {
        key = next;
        nonce = 0;
    }

    private void mixHash(byte[] data) {
        hash = Sha256.hash(hash, data);
    }

    /** HKDF with the chaining key as its salt. */
    private byte[][] derive(byte[] material, int count) {
        byte[] extracted = hmac(chain, material);
        byte[][] parts = new byte[count][];
        byte[] last = NOTHING;
        for (int i = 0; i < count; i++) {
            last = hmac(extracted, both(last, new byte[] {(byte) (i + 1)}));
            parts[i] = last;
        }
        return parts;
    }

    private static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + HMAC, e);
        }
    }

    private static byte[] encrypt(byte[] key, long nonce, byte[] associated, byte[] data) {
        try {
            return crypt(Cipher.ENCRYPT_MODE, key, nonce, associated, data);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static byte @Nullable [] decrypt(byte[] key, long nonce, byte[] associated, byte[] data) {
        try {
            return crypt(Cipher.DECRYPT_MODE, key, nonce, associated, data);
        } catch (AEADBadTagException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static byte[] crypt(int mode, byte[] key, long nonce, byte[] associated, byte[] data)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] iv = ByteBuffer.allocate(12).putInt(0).putLong(nonce).array();
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG, iv));
        cipher.updateAAD(associated);
        return cipher.doFinal(data);
    }

    private static IllegalStateException missing(GeneralSecurityException e) {
        return new IllegalStateException("every Java has AES-GCM", e);
    }

    private static byte[] both(byte[] one, byte[] other) {
        byte[] all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }
}
