package io.weir.benchmark.contender;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Knows when a client warms up, measures and has enough, and keeps what it measured. The reporting methods belong to
 * the client's one hot thread, {@link #await} to another.
 */
final class Meter {

    /** Whoever hears the announcement needs a processor for a moment, which is not to be measured. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private enum Phase {
        WARMING,
        SETTLING,
        MEASURING,
        OVER
    }

    private final Histogram histogram = new Histogram(LONGEST_NANOS, 3);
    private final CountDownLatch over = new CountDownLatch(1);
    private final Cell cell;
    private final Duration warm;
    private final Duration length;
    private final Runnable announce;
    private final int mask;

    private Phase phase = Phase.WARMING;
    private long next;
    private long begun;
    private long ended;
    private long count;
    private long base;
    private long last;
    private long expected;
    private volatile @Nullable Throwable failure;

    /**
     * @param warm how long nothing is measured, from the first message on
     * @param length how long is measured after that
     * @param announce called once, shortly before measuring begins, by the hot thread
     */
    Meter(Cell cell, Duration warm, Duration length, Runnable announce) {
        this.cell = cell;
        this.warm = warm;
        this.length = length;
        this.announce = announce;
        this.mask = timeEvery(cell.size()) - 1;
    }

    /** Asking for the time costs 24 ns, too much for each of many small messages. */
    private static int timeEvery(int size) {
        if (size <= 64) {
            return 1024;
        }
        return size <= 4096 ? 128 : size <= 65536 ? 8 : 1;
    }

    /** The first message is about to be sent. */
    void begin() {
        last = System.nanoTime();
        next = last + warm.toNanos();
    }

    /** After a pause: the round trip begins now and not when the last one ended. */
    void resume() {
        last = System.nanoTime();
    }

    /**
     * The reply with this number is here, which the next round trip begins with.
     *
     * @return whether to go on
     */
    boolean roundTrip(long sequence) {
        inOrder(sequence);
        long now = System.nanoTime();
        if (phase == Phase.MEASURING) {
            histogram.recordValue(Math.min(now - last, LONGEST_NANOS));
        }
        last = now;
        count++;
        return !cell.scenario().isRest() && turn(now);
    }

    /** The message with this number is here, after all those before it; nobody waits for an answer. */
    void arrived(long sequence) {
        inOrder(sequence);
        boolean unused = answered();
    }

    /**
     * The answer with this number is here, after all those before it.
     *
     * @return whether to go on
     */
    boolean answered(long sequence) {
        inOrder(sequence);
        return answered();
    }

    /**
     * An answer is here, in whatever order.
     *
     * @return whether to go on
     */
    boolean answered() {
        return (++count & mask) != 0 ? phase != Phase.OVER : turn(System.nanoTime());
    }

    /** Whether nothing is to be done any more. */
    boolean isOver() {
        return over.getCount() == 0;
    }

    /** Nothing more will be measured, for this reason. Any thread may call; only the first reason counts. */
    void fail(Throwable reason) {
        synchronized (over) {
            if (!isOver()) {
                failure = reason;
                over.countDown();
            }
        }
    }

    /** Waits for the end; where nothing happens, it is this that measures. */
    void await() throws Exception {
        if (cell.scenario().isRest()) {
            rest();
        }
        if (!over.await(warm.plus(length).plus(PATIENCE).toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException(
                    "After " + count + " messages nothing came for " + PATIENCE.toSeconds() + " s.");
        }
    }

    /**
     * What was measured.
     *
     * @param heldBytes goes into it
     * @throws IllegalStateException if it failed
     */
    Measurement result(long heldBytes) {
        if (failure != null) {
            throw new IllegalStateException(String.valueOf(failure.getMessage()), failure);
        }
        if (phase != Phase.OVER) {
            throw new IllegalStateException("The client ended too early, after " + count + " messages.");
        }
        return new Measurement(
                count - base,
                (ended - begun) / 1e9,
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(99),
                histogram.getValueAtPercentile(99.9),
                heldBytes);
    }

    private void inOrder(long sequence) {
        if (sequence != expected) {
            throw new IllegalStateException("Expected message " + expected + ", got message " + sequence + ".");
        }
        expected++;
    }

    private void rest() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(warm.toNanos());
        announce.run();
        begun = System.nanoTime();
        over.await(length.toNanos(), TimeUnit.NANOSECONDS);
        ended = System.nanoTime();
        phase = Phase.OVER;
        over.countDown();
    }

    private boolean turn(long now) {
        if (now - next < 0) {
            return true;
        }
        switch (phase) {
            case WARMING -> {
                announce.run();
                phase = Phase.SETTLING;
                next = System.nanoTime() + SETTLE_NANOS;
            }
            case SETTLING -> {
                phase = Phase.MEASURING;
                base = count;
                begun = System.nanoTime();
                next = begun + length.toNanos();
            }
            case MEASURING, OVER -> {
                end(now);
                return false;
            }
        }
        last = System.nanoTime();
        return true;
    }

    private void end(long now) {
        if (phase != Phase.OVER) {
            phase = Phase.OVER;
            ended = now;
            over.countDown();
        }
    }
}
