package io.weir.hostile;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Sinks;

/** A session's channel to {@code echo}, and its requests: what was sent, what has come back, and the longest wait. */
final class Conversation {

    private static final int SIZE = 100;
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(10);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Codec<byte[]> BYTES = Codecs.bytes();
    private static final Codec<String> TEXT = Codecs.text();

    private final String path;
    private final Peer peer;
    private final Sinks.Many<byte[]> outgoing = Sinks.many().unicast().onBackpressureBuffer();

    // Guarded by this. What is numbered goes on from measurement to measurement.
    private long sent;
    private long answered;
    private long sentBefore;
    private long wrong;
    private long asked;
    private long failed;
    private long slowestAsk;
    private long asking;
    private long gap;
    private long last = System.nanoTime();
    private String failure = "none";

    Conversation(String path, Peer peer) {
        this.path = path;
        this.peer = peer;
        Channel channel = peer.channel("echo").blockOptional().orElseThrow();
        channel.receive(BYTES).subscribe(this::answer, this::fail, () -> fail(new IllegalStateException("ended")));
        channel.send(outgoing.asFlux(), BYTES).subscribe(nothing -> {}, this::fail);
    }

    synchronized void measure() {
        sentBefore = sent;
        wrong = 0;
        asked = 0;
        failed = 0;
        slowestAsk = 0;
        gap = 0;
        last = System.nanoTime();
    }

    synchronized void say() {
        outgoing.emitNext(payload(sent++), Sinks.EmitFailureHandler.FAIL_FAST);
    }

    void ask() {
        long begun = System.nanoTime();
        synchronized (this) {
            asked++;
            asking++;
        }
        peer.ask("greet", "", TEXT, TEXT)
                .timeout(PATIENCE)
                .subscribe(
                        answer -> asked(begun, answer.equals("hello") ? "" : answer),
                        error -> asked(begun, error.toString()));
    }

    private synchronized void asked(long begun, String error) {
        asking--;
        slowestAsk = Math.max(slowestAsk, System.nanoTime() - begun);
        if (!error.isEmpty()) {
            failed++;
            failure = error;
        }
        notifyAll();
    }

    private synchronized void answer(byte[] payload) {
        if (!Arrays.equals(payload, payload(answered++))) {
            wrong++;
        }
        long now = System.nanoTime();
        gap = Math.max(gap, now - last);
        last = now;
        notifyAll();
    }

    private synchronized void fail(Throwable error) {
        failure = error.toString();
        notifyAll();
    }

    /** Waits until everything has come back, or nothing more can be hoped for. */
    synchronized String report() throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT;
        long left = LIMIT;
        while ((answered < sent || asking > 0) && failure.equals("none") && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = deadline - System.nanoTime();
        }
        if (answered < sent) {
            gap = Math.max(gap, System.nanoTime() - last);
        }
        return path + " sent=" + (sent - sentBefore) + " lost=" + (sent - answered) + " wrong=" + wrong + " gap="
                + TimeUnit.NANOSECONDS.toMillis(gap) + " asked=" + asked + " failed=" + (failed + asking) + " slowest="
                + TimeUnit.NANOSECONDS.toMillis(slowestAsk) + " failure=" + failure;
    }

    private static byte[] payload(long number) {
        byte[] payload = new byte[SIZE];
        new Random(number).nextBytes(payload);
        ByteBuffer.wrap(payload).putLong(number);
        return payload;
    }
}
