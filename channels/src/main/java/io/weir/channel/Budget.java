package io.weir.channel;

import io.weir.core.Loop;
import java.util.ArrayDeque;

/**
 * What all channels of a node together may hold beyond their windows, in bytes. Whoever wants more than is left waits in
 * order. Any thread may call.
 */
final class Budget {

    private record Waiting(long bytes, Loop loop, Runnable granted) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final long total;
    private long left;

    Budget(long total) {
        this.total = total;
        this.left = total;
    }

    /** Runs {@code granted} on the loop as soon as that many bytes are reserved; at once if they are there. */
    void reserve(long bytes, Loop loop, Runnable granted) {
        synchronized (this) {
            if (!waiting.isEmpty() || bytes > left) {
                waiting.add(new Waiting(Math.min(bytes, total), loop, granted));
                return;
            }
            left -= bytes;
        }
        granted.run();
    }

    void release(long bytes) {
        if (bytes == 0) {
            return;
        }
        synchronized (this) {
            left += bytes;
            for (Waiting next; (next = waiting.peek()) != null && next.bytes <= left; ) {
                left -= next.bytes;
                waiting.remove();
                next.loop.execute(next.granted);
            }
        }
    }

    /** Bytes that are reserved now. */
    synchronized long used() {
        return total - left;
    }
}
