package io.weir.service;

import io.weir.core.PeerId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How a client and a service prove to each other that they know the same password, in two requests to the port
 * {@value #PORT}. It never crosses the wire.
 *
 * <pre>
 *   client   KNOCK      nonce of the client (32), name of the service
 *   server   CHALLENGE  nonce of the server (32), salt (16), iterations (4)
 *   client   PROVE      nonce of the server (32), code(C) (32)
 *   server   PROVED     code(S) (32)
 *
 *   each with one byte for its kind before it; numbers are big-endian
 *   code(role)  HMAC-SHA-256 by the key, of the transcript
 *   key         PBKDF2 with HMAC-SHA-256, of the password, by salt and iterations
 *   transcript  role, service, both nonces, salt, iterations, id and incarnation of the client and of the server, what
 *               binds the encrypted connection: each with its length before it
 * </pre>
 *
 * <p>Each side puts into the transcript whom it sees at the other end. So who stands in between under a name of its own
 * can't pass a code on, nor can, over an encrypted connection, who calls itself as the other one does. The client goes
 * first: who just knocks gets nothing on which to try guesses.
 */
final class Proof {

    static final String PORT = "weir.service";

    static final byte KNOCK = 1;
    static final byte CHALLENGE = 2;
    static final byte PROVE = 3;
    static final byte PROVED = 4;

    static final int NONCE = 32;
    static final int SALT = 16;
    static final int CODE = 32;

    static final byte CLIENT = 'C';
    static final byte SERVER = 'S';

    /** A guess at what somebody has overheard takes some 0.1 s then, and so does the first proof of each side. */
    static final int ITERATIONS = 200_000;

    /** Fewer would make guesses cheap for who poses as a service. */
    static final int LEAST_ITERATIONS = 100_000;

    /** More would let who poses as a service burn our processor. */
    static final int MOST_ITERATIONS = 1_000_000;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ALGORITHM = "HmacSHA256";
    private static final String LABEL = "weir.service/1";

    private Proof() {}

    /** What both sides of one proof have said. */
    static final class Talk {
        final String service;
        final byte[] clientNonce;
        final byte[] serverNonce;
        final byte[] salt;
        final int iterations;

        Talk(String service, byte[] clientNonce, byte[] serverNonce, byte[] salt, int iterations) {
            this.service = service;
            this.clientNonce = clientNonce;
            this.serverNonce = serverNonce;
            this.salt = salt;
            this.iterations = iterations;
        }
    }

    /** Who they are. */
    record Ends(PeerId client, PeerId server, String binding) {}

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    static byte[] code(byte[] key, byte role, Talk talk, Ends ends) {
        ByteArrayOutputStream transcript = new ByteArrayOutputStream();
        add(transcript, LABEL.getBytes(StandardCharsets.UTF_8));
        add(transcript, new byte[] {role});
        add(transcript, talk.service.getBytes(StandardCharsets.UTF_8));
        add(transcript, talk.clientNonce);
        add(transcript, talk.serverNonce);
        add(transcript, talk.salt);
        add(transcript, number(talk.iterations));
        add(transcript, id(ends.client()));
        add(transcript, id(ends.server()));
        add(transcript, ends.binding().getBytes(StandardCharsets.UTF_8));
        return hmac(key, transcript.toByteArray());
    }

    private static void add(ByteArrayOutputStream transcript, byte[] part) {
        transcript.writeBytes(number(part.length));
        transcript.writeBytes(part);
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static byte[] id(PeerId id) {
        return ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(id.id().getMostSignificantBits())
                .putLong(id.id().getLeastSignificantBits())
                .putLong(id.incarnation())
                .array();
    }

    static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
