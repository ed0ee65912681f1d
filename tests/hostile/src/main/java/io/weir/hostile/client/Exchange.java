package io.weir.hostile.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The side that has connected, in {@code Noise_XXpsk3_25519_AESGCM_SHA256}, between its HELLO and the CARDs. The
 * binding of the connection is empty.
 */
public final class Exchange {

    /** What a code is longer than its plain text. */
    public static final int TAG = 16;

    private static final byte[] NAME = ascii("Noise_XXpsk3_25519_AESGCM_SHA256");
    private static final byte[] NOTHING = {};
    private static final int HASH = 32;
    private static final int SECOND_PROOF = TAG + 1;
    private static final int FIRST_PROOF = Key.LENGTH + 2 * TAG;

    private final Identity self;
    private final Key ephemeral;
    private final byte[] helloOfA;
    private final State state = new State();
    /** One for each secret that the node may go on with. */
    private final List<State> ends = new ArrayList<>();

    /** Begins when both HELLOs are here. */
    public Exchange(Identity self, Key ephemeral, byte[] helloOfC, byte[] helloOfA) {
        this.self = self;
        this.ephemeral = ephemeral;
        this.helloOfA = helloOfA.clone();
        state.mixHash(new Bytes()
                .int32(helloOfC.length)
                .bytes(helloOfC)
                .int32(helloOfA.length)
                .bytes(helloOfA)
                .int32(0)
                .toArray());
        mixEphemeral(ephemeral.bytes());
        // The tag of the first message, which nobody sends.
        state.encrypt(NOTHING);
    }

    /** The token e, where there is a psk. */
    private void mixEphemeral(byte[] key) {
        state.mixHash(key);
        state.mixKey(key);
    }

    /** Takes the node's first PROOF. */
    public void take(byte[] proof) throws IOException {
        if (proof.length != FIRST_PROOF) {
            throw new IOException("a first PROOF of " + proof.length + " bytes");
        }
        mixEphemeral(ephemeralOfA());
        state.mixKey(ephemeral.with(ephemeralOfA()));
        byte[] keyOfA = state.decrypt(Arrays.copyOf(proof, Key.LENGTH + TAG));
        state.mixKey(ephemeral.with(keyOfA));
        byte[] unused = state.decrypt(Arrays.copyOfRange(proof, Key.LENGTH + TAG, FIRST_PROOF));
        if (!Key.id(keyOfA).equals(Identity.idIn(helloOfA))) {
            throw new IOException("the node has another id than that of its key");
        }
    }

    /** The body of our PROOF, once. */
    public byte[] proof() throws IOException {
        Bytes proof = new Bytes().bytes(state.encrypt(self.key().bytes()));
        state.mixKey(self.key().with(ephemeralOfA()));
        for (byte[] psk : psks()) {
            State end = new State(state);
            end.mixKeyAndHash(psk);
            proof.bytes(end.encrypt(NOTHING));
            ends.add(end);
        }
        return proof.toArray();
    }

    /** Takes the node's second PROOF. Whether it says that what was dialled leads to it. */
    public boolean takeSecond(byte[] proof) throws IOException {
        if (proof.length != SECOND_PROOF) {
            throw new IOException("a second PROOF of " + proof.length + " bytes");
        }
        IOException closed = new IOException("it came before ours");
        for (State end : ends) {
            try {
                return (end.split().decrypt(proof)[0] & 1) != 0;
            } catch (IOException another) {
                closed = another;
            }
        }
        throw closed;
    }

    private byte[] ephemeralOfA() {
        return Identity.keyIn(helloOfA);
    }

    private List<byte[]> psks() {
        if (self.secrets().isEmpty()) {
            return List.of(new byte[Key.LENGTH]);
        }
        return self.secrets().stream()
                .map(secret -> hmac(secret.trim().getBytes(StandardCharsets.UTF_8), ascii("weir psk")))
                .toList();
    }

    /** The SymmetricState and the CipherState of Noise. */
    private static final class State {

        private byte[] hash;
        private byte[] chain;
        private byte[] key = {};
        private long nonce;

        State() {
            // It has as many bytes as a hash.
            hash = NAME;
            chain = NAME;
        }

        State(State other) {
            hash = other.hash;
            chain = other.chain;
            key = other.key;
            nonce = other.nonce;
        }

        void mixHash(byte[] data) {
            hash = sha256(hash, data);
        }

        void mixKey(byte[] input) {
            byte[] two = hkdf(input, 2);
            chain = Arrays.copyOf(two, HASH);
            newKey(Arrays.copyOfRange(two, HASH, 2 * HASH));
        }

        void mixKeyAndHash(byte[] input) {
            byte[] three = hkdf(input, 3);
            chain = Arrays.copyOf(three, HASH);
            mixHash(Arrays.copyOfRange(three, HASH, 2 * HASH));
            newKey(Arrays.copyOfRange(three, 2 * HASH, 3 * HASH));
        }

        private void newKey(byte[] newKey) {
            key = newKey;
            nonce = 0;
        }

        byte[] encrypt(byte[] plain) {
            try {
                byte[] code = aes(Cipher.ENCRYPT_MODE, plain);
                mixHash(code);
                return code;
            } catch (GeneralSecurityException missing) {
                throw missing(missing);
            }
        }

        byte[] decrypt(byte[] code) throws IOException {
            try {
                byte[] plain = aes(Cipher.DECRYPT_MODE, code);
                mixHash(code);
                return plain;
            } catch (AEADBadTagException wrong) {
                throw new IOException("a tag is wrong", wrong);
            } catch (GeneralSecurityException missing) {
                throw missing(missing);
            }
        }

        /** Of the transport messages of the node; the associated data of the first one is empty. */
        State split() {
            State transport = new State();
            transport.newKey(Arrays.copyOfRange(hkdf(NOTHING, 2), HASH, 2 * HASH));
            transport.hash = NOTHING;
            return transport;
        }

        private byte[] aes(int mode, byte[] text) throws GeneralSecurityException {
            byte[] counter = ByteBuffer.allocate(12).putLong(4, nonce++).array();
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG, counter));
            cipher.updateAAD(hash);
            return cipher.doFinal(text);
        }

        private byte[] hkdf(byte[] input, int count) {
            byte[] secret = hmac(chain, input);
            Bytes all = new Bytes();
            byte[] last = NOTHING;
            for (byte number = 1; number <= count; number++) {
                last = hmac(secret, new Bytes().bytes(last).bytes(number).toArray());
                all.bytes(last);
            }
            return all.toArray();
        }
    }

    private static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(data);
        } catch (GeneralSecurityException missing) {
            throw missing(missing);
        }
    }

    private static byte[] sha256(byte[] one, byte[] other) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(one);
            return digest.digest(other);
        } catch (GeneralSecurityException missing) {
            throw missing(missing);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static IllegalStateException missing(GeneralSecurityException missing) {
        return new IllegalStateException("AES-GCM, HMAC and SHA-256 are part of every JDK", missing);
    }
}
