package io.weir.service;

import io.netty.buffer.Unpooled;
import io.weir.channel.Calls;
import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RemoteFailure;
import io.weir.core.TimedOut;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The client's side of {@link Proof}: proves the password of a service to an instance, and has the instance prove it.
 * Any thread.
 */
final class Knock {

    private static final int CHALLENGED = 1 + Proof.NONCE + Proof.SALT + Integer.BYTES;

    private final PeerId self;
    private final String service;
    private final Password password;
    private final Duration limit;
    /** An instance that lives keeps its salt. */
    private volatile @Nullable Derived derived;

    private static final class Derived {
        final byte[] salt;
        final int iterations;
        final byte[] key;

        Derived(byte[] salt, int iterations, byte[] key) {
            this.salt = salt;
            this.iterations = iterations;
            this.key = key;
        }
    }

    /** @param limit how long an instance may take for each answer */
    Knock(PeerId self, String service, Password password, Duration limit) {
        this.self = self;
        this.service = service;
        this.password = password;
        this.limit = limit;
    }

    /**
     * Completes when both have proved it. Fails with {@link AuthenticationFailed} if one of them could not, or with
     * what has become of the connection, the port or the challenge: another knock may do then.
     */
    Mono<Void> at(Peer peer) {
        return Mono.defer(() -> {
                    byte[] nonce = Proof.random(Proof.NONCE);
                    return say(peer, knock(nonce), CHALLENGED, Proof.CHALLENGE)
                            .flatMap(challenge -> prove(peer, nonce, challenge));
                })
                .onErrorMap(error -> failure(peer, error));
    }

    private Mono<Void> prove(Peer peer, byte[] nonce, ByteBuffer challenge) {
        Proof.Talk talk = new Proof.Talk(
                service, nonce, take(challenge, Proof.NONCE), take(challenge, Proof.SALT), challenge.getInt());
        if (talk.iterations < Proof.LEAST_ITERATIONS || talk.iterations > Proof.MOST_ITERATIONS) {
            return Mono.error(new AuthenticationFailed("it wants " + talk.iterations + " iterations, and "
                    + Proof.LEAST_ITERATIONS + " to " + Proof.MOST_ITERATIONS + " are right"));
        }
        Proof.Ends ends = new Proof.Ends(self, peer.id(), peer.binding());
        return key(talk.salt, talk.iterations)
                .flatMap(key -> say(peer, proof(key, talk, ends), 1 + Proof.CODE, Proof.PROVED)
                        .doOnNext(proved -> check(key, talk, ends, proved)))
                .then();
    }

    private static void check(byte[] key, Proof.Talk talk, Proof.Ends ends, ByteBuffer proved) {
        byte[] expected = Proof.code(key, Proof.SERVER, talk, ends);
        if (!MessageDigest.isEqual(expected, take(proved, Proof.CODE))) {
            throw new AuthenticationFailed("it has not proved the password itself");
        }
    }

    private Mono<byte[]> key(byte[] salt, int iterations) {
        Derived known = derived;
        if (known != null && known.iterations == iterations && Arrays.equals(known.salt, salt)) {
            return Mono.just(known.key);
        }
        return Mono.fromCallable(() -> password.key(salt, iterations))
                .subscribeOn(Schedulers.boundedElastic())
                .doOnNext(key -> derived = new Derived(salt, iterations, key));
    }

    private byte[] knock(byte[] nonce) {
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(1 + Proof.NONCE + name.length)
                .put(Proof.KNOCK)
                .put(nonce)
                .put(name)
                .array();
    }

    private static byte[] proof(byte[] key, Proof.Talk talk, Proof.Ends ends) {
        return ByteBuffer.allocate(1 + Proof.NONCE + Proof.CODE)
                .put(Proof.PROVE)
                .put(talk.serverNonce)
                .put(Proof.code(key, Proof.CLIENT, talk, ends))
                .array();
    }

    /** Asks this and yields what follows the kind in the answer, which has to be of this length and kind. */
    private Mono<ByteBuffer> say(Peer peer, byte[] text, int length, byte kind) {
        return Calls.ask(peer, Proof.PORT, Message.of(Unpooled.wrappedBuffer(text)))
                .map(answer -> read(answer, length, kind))
                .timeout(limit)
                .switchIfEmpty(Mono.error(() -> new ProtocolMismatch("an answer without anything in it")));
    }

    private static ByteBuffer read(Message answer, int length, byte kind) {
        try {
            if (answer.size() != length
                    || answer.payload().getByte(answer.payload().readerIndex()) != kind) {
                throw new ProtocolMismatch("an answer of " + answer.size() + " bytes has no place here");
            }
            return ByteBuffer.wrap(answer.bytes(), 1, length - 1);
        } finally {
            answer.release();
        }
    }

    private static byte[] take(ByteBuffer from, int length) {
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }

    private Throwable failure(Peer peer, Throwable error) {
        if (error instanceof TimeoutException) {
            return new TimedOut(
                    peer.id() + " has not answered a knock at service '" + service + "' within " + limit.toMillis()
                            + " ms (weir.timeout.handshake)",
                    error);
        }
        boolean unproved = error instanceof AuthenticationFailed
                || error instanceof RemoteFailure
                || error instanceof ProtocolMismatch;
        return unproved
                ? new AuthenticationFailed(
                        "service '" + service + "' and we have not proved its password to each other: "
                                + error.getMessage(),
                        error)
                : error;
    }
}
