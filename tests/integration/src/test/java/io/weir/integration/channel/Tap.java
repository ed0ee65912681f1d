package io.weir.integration.channel;

import io.weir.core.Message;
import io.weir.integration.Parcels;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * A source that may be told, by any thread and at any moment, to end. It emits on whichever thread asks or tells, one
 * signal at a time, and loses nothing.
 */
final class Tap implements Publisher<Message>, Subscription {

    private final Parcels parcels;
    private final long count;
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicLong requested = new AtomicLong();
    private volatile @Nullable Subscriber<? super Message> subscriber;
    private volatile boolean cancelled;
    private volatile boolean completing;
    private volatile @Nullable Throwable failing;
    private volatile boolean ended;
    private volatile long emitted;

    Tap(Parcels parcels, long count) {
        this.parcels = parcels;
        this.count = count;
    }

    @Override
    public void subscribe(Subscriber<? super Message> to) {
        // No signal of another thread may overtake the first one.
        work.getAndIncrement();
        to.onSubscribe(this);
        subscriber = to;
        drainFrom(1);
    }

    void complete() {
        completing = true;
        drain();
    }

    void fail(Throwable reason) {
        failing = reason;
        drain();
    }

    @Override
    public void request(long n) {
        requested.accumulateAndGet(n, Operators::addCap);
        drain();
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    /** Whether it was never begun, or has come to an end by itself or by its subscriber. */
    boolean over() {
        return cancelled || ended || subscriber == null;
    }

    private void drain() {
        if (work.getAndIncrement() == 0) {
            drainFrom(1);
        }
    }

    private void drainFrom(int first) {
        for (int seen = first; seen != 0; seen = work.addAndGet(-seen)) {
            Subscriber<? super Message> to = subscriber;
            if (to != null) {
                emit(to);
            }
        }
    }

    private void emit(Subscriber<? super Message> to) {
        while (!cancelled && !ended) {
            Throwable failure = failing;
            if (failure != null) {
                ended = true;
                to.onError(failure);
            } else if (completing || emitted == count) {
                ended = true;
                to.onComplete();
            } else if (emitted < requested.get()) {
                to.onNext(parcels.message(emitted++));
            } else {
                return;
            }
        }
    }

    @Override
    public String toString() {
        return emitted + " of " + requested + " emitted" + (ended ? ", ended" : "") + (cancelled ? ", cancelled" : "");
    }
}
