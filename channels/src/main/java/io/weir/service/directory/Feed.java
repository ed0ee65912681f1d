package io.weir.service.directory;

import io.weir.core.PeerId;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/**
 * What one subscriber of a {@link View} is still to get: never more than the difference between what it knows and
 * what is, however slowly it asks.
 */
abstract class Feed<T> {

    private final FluxSink<T> sink;
    private final AtomicInteger wakes = new AtomicInteger();

    Feed(FluxSink<T> sink) {
        this.sink = sink;
    }

    /** This member is to be looked at; called with the view's lock held. */
    abstract void changed(PeerId id, MemberEvent.Kind how);

    /** The next signal; null if there is none. By one thread at a time, without a lock. */
    abstract @Nullable T next();

    /** Emits as much as is asked for. Any thread. */
    final void wake() {
        if (wakes.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        while (seen != 0) {
            tell();
            seen = wakes.addAndGet(-seen);
        }
    }

    private void tell() {
        while (sink.requestedFromDownstream() > 0) {
            T next = next();
            if (next == null) {
                return;
            }
            var unused = sink.next(next);
        }
    }

    final void end() {
        sink.complete();
    }
}
