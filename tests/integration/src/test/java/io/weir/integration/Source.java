package io.weir.integration;

import io.weir.core.Message;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** What a test sends, with an account of what it was asked for. */
public final class Source {

    private final Parcels parcels;
    private final AtomicLong requested = new AtomicLong();
    private final AtomicLong emitted = new AtomicLong();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final AtomicInteger cancels = new AtomicInteger();
    private volatile boolean terminated;
    private final CountDownLatch cancelled = new CountDownLatch(1);

    public Source(Parcels parcels) {
        this.parcels = parcels;
    }

    public static Source of(Sizes sizes) {
        return new Source(new Parcels(sizes.ordinal(), sizes));
    }

    public Parcels parcels() {
        return parcels;
    }

    /** The first {@code count} messages, emitted by whoever asks. */
    public Flux<Message> flux(long count) {
        return flux(count, same -> same);
    }

    /** Messages without an end. */
    public Flux<Message> endless() {
        return flux(Long.MAX_VALUE);
    }

    /** The first {@code count} messages, through these operators: the account is about what stands behind them. */
    public Flux<Message> flux(long count, UnaryOperator<Flux<Message>> operators) {
        return parcels.flux(count)
                .transform(operators)
                .doOnDiscard(Message.class, Message::release)
                .doOnSubscribe(subscription -> subscriptions.incrementAndGet())
                .doOnRequest(n -> requested.accumulateAndGet(n, Operators::addCap))
                .doOnNext(message -> emitted.incrementAndGet())
                .doOnTerminate(() -> terminated = true)
                .doOnCancel(() -> {
                    cancels.incrementAndGet();
                    cancelled.countDown();
                });
    }

    /** What it was asked for, in all. */
    public long requested() {
        return requested.get();
    }

    /** What it has emitted. */
    public long emitted() {
        return emitted.get();
    }

    /** The bytes of what it has emitted. */
    public long emittedBytes() {
        return LongStream.range(0, emitted()).map(parcels::size).sum();
    }

    public int subscriptions() {
        return subscriptions.get();
    }

    public int cancels() {
        return cancels.get();
    }

    /** Whether it has ended, by itself or because it was cancelled. */
    boolean over() {
        return terminated || cancels() > 0;
    }

    public void awaitEmitted(long count) {
        Patience.until(() -> emitted() + " of " + count + " messages were asked for", () -> emitted() >= count);
    }

    public void awaitSubscribed() {
        Patience.until("the source is subscribed to", () -> subscriptions() > 0);
    }

    public void awaitCancelled() {
        Patience.await("the source is cancelled", cancelled);
    }
}
