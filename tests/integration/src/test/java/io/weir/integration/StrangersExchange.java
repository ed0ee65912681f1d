package io.weir.integration;

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
import org.jspecify.annotations.Nullable;

/**
 * The key exchange of a connection's handshake by hand: {@code Noise_XXpsk3_25519_AESGCM_SHA256}. Written from the
 * description of the wire and from revision 34 of the Noise Protocol Framework, not with the code that is tested.
 *
 * <p>The connecting side reads message 2, writes message 3 and reads the last one; the accepting side does the
 * opposite.
 */
final class StrangersExchange {

    private static final byte[] NAME = "Noise_XXpsk3_25519_AESGCM_SHA256".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOTHING = {};
    static final int TAG = 16;
    private static final int SEALED_KEY = StrangersKey.LENGTH + TAG;

    private final StrangersKey ephemeral;
    private final StrangersKey own;

    /** Behind message 3 there is one for each secret with which it was written. */
    private List<State> states = new ArrayList<>();

    private byte[] theirEphemeral = NOTHING;

    /** With message 1: both know it when the accepting side has the HELLO of the connecting side. */
    StrangersExchange(StrangersKey ephemeral, StrangersKey own, byte[] prologue, byte[] ephemeralOfConnecting) {
        this.ephemeral = ephemeral;
        this.own = own;
        State state = new State();
        state.mixHash(prologue);
        state.mixEphemeral(ephemeralOfConnecting);
        var unused = state.seal(NOTHING);
        states.add(state);
    }

    private State state() {
        return states.get(0);
    }

    /** The rest of message 2, for who has said this key in HELLO. */
    byte[] second(byte[] ephemeralOfConnecting) {
        theirEphemeral = ephemeralOfConnecting;
        state().mixEphemeral(ephemeral.open());
        state().mixKey(ephemeral.agree(theirEphemeral));
        byte[] key = state().seal(own.open());
        state().mixKey(own.agree(theirEphemeral));
        return join(key, state().seal(NOTHING));
    }

    /** Reads that; the key of the accepting side, which has said this ephemeral one in HELLO. */
    byte[] readSecond(byte[] ephemeralOfAccepting, byte[] message) {
        length(message, SEALED_KEY + TAG);
        theirEphemeral = ephemeralOfAccepting;
        state().mixEphemeral(theirEphemeral);
        state().mixKey(ephemeral.agree(theirEphemeral));
        byte[] key = opened(state().open(Arrays.copyOf(message, SEALED_KEY)));
        state().mixKey(ephemeral.agree(key));
        var unused = opened(state().open(Arrays.copyOfRange(message, SEALED_KEY, message.length)));
        return key;
    }

    /** Message 3, with a tag for each of these. */
    byte[] third(List<byte[]> secrets) {
        byte[] message = state().seal(own.open());
        state().mixKey(own.agree(theirEphemeral));
        List<State> all = new ArrayList<>();
        for (byte[] secret : secrets) {
            State state = new State(state());
            state.mixKeyAndHash(secret);
            message = join(message, state.seal(NOTHING));
            all.add(state);
        }
        states = all;
        return message;
    }

    /** Reads that; the key of the connecting side, or null if it knows none of these. */
    byte @Nullable [] readThird(byte[] message, List<byte[]> secrets) {
        byte[] key = opened(state().open(Arrays.copyOf(message, SEALED_KEY)));
        state().mixKey(ephemeral.agree(key));
        for (byte[] secret : secrets) {
            for (int at = SEALED_KEY; at < message.length; at += TAG) {
                State state = new State(state());
                state.mixKeyAndHash(secret);
                if (state.open(Arrays.copyOfRange(message, at, at + TAG)) != null) {
                    states = List.of(state);
                    return key;
                }
            }
        }
        return null;
    }

    /** The first transport message of the accepting side. */
    byte[] last(byte[] payload) {
        return state().ofAccepting().seal(payload);
    }

    /** The same by who knows another secret than the connecting side, and goes on as if it were that one's. */
    byte[] lastUnseen(byte[] third, byte[] secret, byte[] payload) {
        State state = new State(state());
        state.mixKeyAndHash(secret);
        state.mixHash(Arrays.copyOfRange(third, SEALED_KEY, SEALED_KEY + TAG));
        return state.ofAccepting().seal(payload);
    }

    /** Reads that; its payload. */
    byte[] readLast(byte[] message) {
        for (State state : states) {
            byte[] payload = state.ofAccepting().open(message);
            if (payload != null) {
                return payload;
            }
        }
        throw new AssertionError("the last message can't be opened with any of " + states.size());
    }

    private static byte[] opened(byte @Nullable [] content) {
        if (content == null) {
            throw new AssertionError("a message can't be opened");
        }
        return content;
    }

    private static void length(byte[] message, int expected) {
        if (message.length != expected) {
            throw new AssertionError("a message of " + message.length + " bytes, not " + expected);
        }
    }

    private static byte[] join(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** What Noise calls a SymmetricState, with its CipherState. */
    private static final class State {

        private byte[] hash;
        private byte[] chaining;
        private byte[] key = NOTHING;
        private long nonce;

        /** The name has as many bytes as a hash. */
        State() {
            hash = NAME;
            chaining = NAME;
        }

        State(State from) {
            hash = from.hash;
            chaining = from.chaining;
            key = from.key;
            nonce = from.nonce;
        }

        /** Where a secret may be mixed in, {@code e} counts as a key as well. */
        void mixEphemeral(byte[] open) {
            mixHash(open);
            mixKey(open);
        }

        void mixHash(byte[] data) {
            try {
                MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
                sha256.update(hash);
                hash = sha256.digest(data);
            } catch (GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }

        void mixKey(byte[] material) {
            byte[][] made = derive(material);
            chaining = made[0];
            use(made[1]);
        }

        void mixKeyAndHash(byte[] secret) {
            byte[][] made = derive(secret);
            chaining = made[0];
            mixHash(made[1]);
            use(made[2]);
        }

        private void use(byte[] next) {
            key = next;
            nonce = 0;
        }

        /** Three outputs of HKDF; who needs fewer takes the first ones. */
        private byte[][] derive(byte[] material) {
            byte[] extracted = hmac(chaining, material);
            byte[] first = hmac(extracted, new byte[] {1});
            byte[] second = hmac(extracted, first, new byte[] {2});
            byte[] third = hmac(extracted, second, new byte[] {3});
            return new byte[][] {first, second, third};
        }

        /** For what the accepting side sends from now on: there is no associated data any more. */
        State ofAccepting() {
            State transport = new State();
            transport.hash = NOTHING;
            transport.key = derive(NOTHING)[1];
            return transport;
        }

        byte[] seal(byte[] content) {
            byte[] sealed = opened(crypt(Cipher.ENCRYPT_MODE, content));
            mixHash(sealed);
            return sealed;
        }

        /** Null, and nothing has changed, if it was sealed in another way. */
        byte @Nullable [] open(byte[] sealed) {
            byte[] content = crypt(Cipher.DECRYPT_MODE, sealed);
            if (content != null) {
                mixHash(sealed);
            }
            return content;
        }

        private byte @Nullable [] crypt(int mode, byte[] data) {
            try {
                byte[] counted =
                        ByteBuffer.allocate(12).putInt(0).putLong(nonce).array();
                Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
                cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(8 * TAG, counted));
                cipher.updateAAD(hash);
                byte[] made = cipher.doFinal(data);
                nonce++;
                return made;
            } catch (AEADBadTagException e) {
                return null;
            } catch (GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }
    }
}
