package io.weir.service.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The deadlines of all calls, to 10 ms: one wheel, which turns while a call waits that has one. To enter and to leave
 * costs next to nothing. Any thread.
 */
final class Deadlines {

    static final Deadlines SHARED = new Deadlines();

    private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int SLOTS = 512;

    private final Slot[] wheel = new Slot[SLOTS];
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean turning = new AtomicBoolean();
    private final long epoch = System.nanoTime();
    /** Up to which all slots were looked at. Written by who turns the wheel. */
    private volatile long latest;

    Deadlines() {
        for (int i = 0; i < SLOTS; i++) {
            wheel[i] = new Slot();
        }
    }

    /** What has a deadline. In one wheel, once at a time. */
    abstract static class Entry {

        private @Nullable Slot slot;
        private @Nullable Entry next;
        private @Nullable Entry previous;
        private long tick;

        /**
         * The time has come. On a thread of Reactor's that must not be blocked. Perhaps just after the entry has left.
         */
        abstract void expired();
    }

    private static final class Slot {

        private @Nullable Entry first;

        synchronized void add(Entry entry) {
            entry.slot = this;
            entry.next = first;
            if (first != null) {
                first.previous = entry;
            }
            first = entry;
        }

        synchronized boolean remove(Entry entry) {
            if (entry.slot != this) {
                return false;
            }
            entry.slot = null;
            Entry before = entry.previous;
            Entry after = entry.next;
            if (before == null) {
                first = after;
            } else {
                before.next = after;
            }
            if (after != null) {
                after.previous = before;
            }
            entry.next = null;
            entry.previous = null;
            return true;
        }

        synchronized void takeDue(long tick, List<Entry> due) {
            for (Entry each = first; each != null; ) {
                Entry next = each.next;
                if (each.tick <= tick && remove(each)) {
                    due.add(each);
                }
                each = next;
            }
        }
    }

    /** Not before this time has passed, from now. */
    void enter(Entry entry, Duration time) {
        enter(entry, time.toNanos());
    }

    void enter(Entry entry, long nanos) {
        entry.tick = now() + nanos / TICK_NANOS + 1;
        add(entry);
        waiting.incrementAndGet();
        // The wheel may have passed the place meanwhile, and would come there again only after a whole turn.
        for (long passed; entry.tick <= (passed = latest) && slotOf(entry).remove(entry); ) {
            entry.tick = passed + 1;
            add(entry);
        }
        turn();
    }

    private void add(Entry entry) {
        slotOf(entry).add(entry);
    }

    private Slot slotOf(Entry entry) {
        return wheel[(int) (entry.tick & SLOTS - 1)];
    }

    /** Does nothing if it is not there any more. */
    void leave(Entry entry) {
        Slot slot = entry.slot;
        if (slot != null && slot.remove(entry)) {
            waiting.decrementAndGet();
        }
    }

    /** A stream that is cancelled, and fails with this, when it has not ended in time. */
    static <T> Flux<T> limit(Flux<T> items, Duration time, Supplier<? extends Throwable> late) {
        return Flux.defer(() -> {
            AtomicBoolean over = new AtomicBoolean();
            // An error of the other publisher would not cancel the items.
            return items.takeUntilOther(Mono.delay(time).doOnNext(passed -> over.set(true)))
                    .concatWith(Mono.defer(() -> over.get() ? Mono.error(late.get()) : Mono.empty()));
        });
    }

    private long now() {
        return (System.nanoTime() - epoch) / TICK_NANOS;
    }

    private void turn() {
        if (waiting.get() > 0 && !turning.get() && turning.compareAndSet(false, true)) {
            later();
        }
    }

    private void later() {
        var unused = Schedulers.parallel().schedule(this::look, TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    private void look() {
        long now = now();
        List<Entry> due = new ArrayList<>();
        for (long tick = Math.max(latest, now - SLOTS) + 1; tick <= now; tick++) {
            wheel[(int) (tick & SLOTS - 1)].takeDue(now, due);
        }
        latest = now;
        waiting.addAndGet(-due.size());
        due.forEach(Deadlines::expire);
        if (waiting.get() > 0) {
            later();
        } else {
            turning.set(false);
            turn();
        }
    }

    private static void expire(Entry entry) {
        try {
            entry.expired();
        } catch (Throwable t) {
            // Also what is fatal: the wheel is everybody's.
            LOG.warn("What was told that a call has taken too long has failed", t);
        }
    }
}
