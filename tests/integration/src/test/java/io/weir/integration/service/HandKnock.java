package io.weir.integration.service;

import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.integration.Patience;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Knocks at a service by hand, so that it can also be done wrongly. Written from the description of the wire, not with
 * the code that is tested.
 */
final class HandKnock {

    static final String PORT = "weir.service";
    static final int NONCE = 32;
    static final int SALT = 16;

    private static final Map<List<Object>, byte[]> KEYS = new ConcurrentHashMap<>();

    final String service;
    final byte[] ours;
    final byte[] theirs;
    final byte[] salt;
    final int iterations;

    private HandKnock(String service, byte[] ours, byte[] challenge) {
        this.service = service;
        this.ours = ours;
        ByteBuffer said = ByteBuffer.wrap(challenge);
        if (challenge.length != 1 + NONCE + SALT + 4 || said.get() != 2) {
            throw new AssertionError("no challenge: " + Arrays.toString(challenge));
        }
        theirs = new byte[NONCE];
        salt = new byte[SALT];
        said.get(theirs).get(salt);
        iterations = said.getInt();
    }

    static HandKnock at(Peer peer, String service) {
        byte[] nonce = new byte[NONCE];
        Arrays.fill(nonce, (byte) 7);
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        return new HandKnock(service, nonce, say(peer, join(new byte[] {1}, nonce, name)));
    }

    /** Asks this of the port and yields the answer. */
    static byte[] say(Peer peer, byte[] text) {
        Message answer = Objects.requireNonNull(peer.ask(PORT, Message.of(text)).block(Patience.LIMIT));
        try {
            return answer.bytes();
        } finally {
            answer.release();
        }
    }

    /** The request that proves this. */
    byte[] proof(byte[] code) {
        return join(new byte[] {3}, theirs, code);
    }

    byte[] code(Password password, char role, PeerId client, PeerId server) {
        ByteArrayOutputStream transcript = new ByteArrayOutputStream();
        byte[] label = "weir.service/1".getBytes(StandardCharsets.UTF_8);
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        for (byte[] part : new byte[][] {
            label, {(byte) role}, name, ours, theirs, salt, number(iterations), id(client), id(server), {}
        }) {
            transcript.writeBytes(number(part.length));
            transcript.writeBytes(part);
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key(password), "HmacSHA256"));
            return mac.doFinal(transcript.toByteArray());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Made once for each salt, as that takes its time. */
    private byte[] key(Password password) {
        return KEYS.computeIfAbsent(
                List.of(password, ByteBuffer.wrap(salt), iterations), any -> password.key(salt, iterations));
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] id(PeerId id) {
        return ByteBuffer.allocate(24)
                .putLong(id.id().getMostSignificantBits())
                .putLong(id.id().getLeastSignificantBits())
                .putLong(id.incarnation())
                .array();
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
