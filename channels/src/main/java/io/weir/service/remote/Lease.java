package io.weir.service.remote;

import java.lang.ref.WeakReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** An object of a peer that we were passed, under its number, until it is given back. Any thread. */
final class Lease implements Runnable {

    private final int number;
    private final BiConsumer<Lease, Integer> returned;
    private @Nullable WeakReference<Object> proxy;
    private int received;
    private boolean over;

    /** @param returned called once when it is needed no longer, with how often it was received */
    Lease(int number, BiConsumer<Lease, Integer> returned) {
        this.number = number;
        this.returned = returned;
    }

    int number() {
        return number;
    }

    /** It was received, and this stands for it here. */
    synchronized void proxy(Object its) {
        proxy = new WeakReference<>(its);
        received = 1;
    }

    /** It was received once more: what stands for it; null if that is gone, and this time is not of this lease. */
    synchronized @Nullable Object again() {
        Object there = proxy == null || over ? null : proxy.get();
        if (there != null) {
            received++;
        }
        return there;
    }

    /** Gives it back. */
    @Override
    public void run() {
        int count;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            count = received;
        }
        returned.accept(this, count);
    }
}
