package io.weir.transport.shm;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * How much of our own segment has memory: little in the beginning, and more as it is used, so that many peers that have
 * little to say fit. The file has its whole length from the beginning, and only we write into it, so the peer notices
 * nothing. Thread-safe. Memory is allocated by another thread, as the system clears it, which takes 0.2 ms for 1 MiB.
 */
final class Growth implements AutoCloseable {

    /** Twice what the longest record takes, with room to spare: with less, one could never be written. */
    static final int FIRST_RING = 264 << 10;

    static final int FIRST_POOL = 256 << 10;

    /** When nothing was to be had, so long passes until the next attempt. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger(Growth.class);

    private final Descriptor file;
    private final SegmentLayout layout;
    private final MemoryBudget.Share share;

    /** Bytes of each, from its beginning, that have memory. */
    private int ring;

    private int pool;

    private boolean busy;
    private boolean closed;
    private long failedAt = System.nanoTime() - PAUSE_NANOS;

    private Growth(Descriptor file, SegmentLayout layout, MemoryBudget.Share share) {
        this.file = file;
        this.layout = layout;
        this.share = share;
        this.ring = firstRing(layout);
        this.pool = firstPool(layout);
    }

    /**
     * Makes a segment's file with the memory that it begins with.
     *
     * @param most of the budget's memory that may be taken together with this
     * @throws PeerUnavailable if there is not so much
     */
    static Growth begin(SegmentLayout layout, MemoryBudget budget, long most) {
        int ring = firstRing(layout);
        int pool = firstPool(layout);
        MemoryBudget.Share share = budget.take((long) layout.ring() + ring + pool, most);
        try {
            return new Growth(Segment.allocate(layout, ring, pool), layout, share);
        } catch (Throwable e) {
            share.give();
            throw e;
        }
    }

    private static int firstRing(SegmentLayout layout) {
        return layout.ringSize() <= 2 * FIRST_RING ? layout.ringSize() : FIRST_RING;
    }

    private static int firstPool(SegmentLayout layout) {
        return Math.min(layout.poolSize(), FIRST_POOL);
    }

    /** The segment's file. It stays ours. */
    Descriptor file() {
        return file;
    }

    /** Bytes of the ring that have memory. */
    synchronized int ring() {
        return ring;
    }

    /** Bytes of the pool that have memory. */
    synchronized int pool() {
        return pool;
    }

    /** Whether memory is being allocated. */
    synchronized boolean isBusy() {
        return busy;
    }

    /** The peer has the file: it is closed if there is nothing more to allocate, otherwise with this. */
    synchronized void passed() {
        if (ring == layout.ringSize() && pool == layout.poolSize()) {
            file.close();
        }
    }

    /**
     * Gives the ring twice the memory, soon, unless the segment grows already or could not lately.
     *
     * @param grown called on another thread with how many bytes of it have memory then, if it could
     */
    synchronized void growRing(IntConsumer grown) {
        int more = Math.min(ring, layout.ringSize() - ring);
        begin(layout.ring() + ring, more, () -> grown.accept(grewRing(more)));
    }

    private synchronized int grewRing(int more) {
        ring += more;
        return ring;
    }

    /**
     * Gives the pool twice the memory, or as much more as is wanted; otherwise as {@link #growRing}.
     *
     * @param wanted bytes for which there was no room
     */
    synchronized void growPool(int wanted, IntConsumer grown) {
        long units = (wanted + SegmentLayout.UNIT - 1L) / SegmentLayout.UNIT;
        int more = (int) Math.min(Math.max(pool, units * SegmentLayout.UNIT), layout.poolSize() - pool);
        begin(layout.pool() + pool, more, () -> grown.accept(grewPool(more)));
    }

    private synchronized int grewPool(int more) {
        pool += more;
        return pool;
    }

    private void begin(int offset, int more, Runnable grew) {
        if (more == 0 || busy || closed || System.nanoTime() - failedAt < PAUSE_NANOS) {
            return;
        }
        busy = true;
        try {
            var unused = Schedulers.boundedElastic().schedule(() -> allocate(offset, more, grew));
        } catch (Throwable e) {
            // No thread, no memory or no stack: all is well without more of this one.
            over(false);
        }
    }

    private void allocate(int offset, int more, Runnable grew) {
        boolean done = false;
        try {
            share.more(more);
            try {
                Posix.allocate(file, offset, more);
                done = true;
            } finally {
                if (!done) {
                    share.less(more);
                }
            }
            grew.run();
        } catch (NativeFailure | PeerUnavailable e) {
            log.debug("A link's shared memory stays as small as it is: {}", e.getMessage());
        } finally {
            over(done);
        }
    }

    private synchronized void over(boolean done) {
        busy = false;
        if (!done) {
            failedAt = System.nanoTime();
        }
        if (closed) {
            end();
        }
    }

    /**
     * Gives back everything but what is mapped; if memory is being allocated, or waits for a thread to do so, behind
     * that.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (!busy) {
                end();
            }
        }
    }

    private void end() {
        file.close();
        share.give();
    }
}
