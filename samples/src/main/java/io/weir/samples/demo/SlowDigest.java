package io.weir.samples.demo;

import io.weir.core.Message;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The slow stage: the SHA-256 of a stream, each piece hashed several times, so that it takes as long as real work
 * would.
 */
final class SlowDigest {

    /** What the stage answers. */
    static final String BUSY = "busy";

    /** Pieces that may wait before the stage; more stay at the sender. */
    private static final int WAITING = 16;

    private final int rounds;
    private final MessageDigest digest = sha256();
    private final MessageDigest ballast = sha256();
    private long busy;

    private SlowDigest(int rounds) {
        this.rounds = rounds;
    }

    /**
     * Hashes the stream on this scheduler. The answer is the SHA-256 in hexadecimal digits; its control data tells how
     * many nanoseconds the stage was at work.
     */
    static Mono<Message> of(Flux<Message> pieces, int rounds, Scheduler scheduler) {
        return Mono.defer(() -> {
            SlowDigest stage = new SlowDigest(rounds);
            return pieces.publishOn(scheduler, WAITING)
                    .doOnNext(stage::add)
                    .doOnDiscard(Message.class, Message::release)
                    .then(Mono.fromSupplier(stage::answer));
        });
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private void add(Message piece) {
        long begun = System.nanoTime();
        try {
            ByteBuffer bytes = piece.payload().nioBuffer();
            for (int round = 1; round < rounds; round++) {
                ballast.update(bytes.duplicate());
            }
            digest.update(bytes);
        } finally {
            piece.release();
        }
        busy += System.nanoTime() - begun;
    }

    private Message answer() {
        return Message.of(HexFormat.of().formatHex(digest.digest())).with(BUSY, Long.toString(busy));
    }
}
