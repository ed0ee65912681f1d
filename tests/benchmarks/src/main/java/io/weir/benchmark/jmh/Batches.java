package io.weir.benchmark.jmh;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** Takes what is sent in batches, each of which is asked for at once. */
abstract class Batches<T> extends BaseSubscriber<T> {

    /** Many windows, so that beginning and end do not count. */
    static final int COUNT = 100_000;

    private final Semaphore all = new Semaphore(0);
    private int received;

    /** One of them has come. */
    abstract void taken(T one);

    /** Asks for a batch, and waits until all of it has come. */
    void receive() throws InterruptedException {
        request(COUNT);
        if (!all.tryAcquire(NodePair.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Only " + received + " of " + COUNT + " have come.");
        }
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        // Every invocation asks for its own.
    }

    @Override
    protected void hookOnNext(T one) {
        taken(one);
        if (++received == COUNT) {
            received = 0;
            all.release();
        }
    }
}
