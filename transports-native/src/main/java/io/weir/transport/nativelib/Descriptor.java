package io.weir.transport.nativelib;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A file descriptor that we own: closed once, by the first call. Thread-safe. */
public final class Descriptor implements AutoCloseable {

    private static final AtomicInteger OPEN = new AtomicInteger();

    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Descriptor(int number) {
        this.number = number;
        OPEN.incrementAndGet();
    }

    /** Takes over a descriptor that somebody else opened. */
    public static Descriptor own(int number) {
        return new Descriptor(number);
    }

    /** How many are open in this process. */
    public static int open() {
        return OPEN.get();
    }

    /** The number by which the system knows it; may name something else once this is closed. */
    public int number() {
        return number;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Posix.close(number);
            OPEN.decrementAndGet();
        }
    }

    @Override
    public String toString() {
        return "descriptor " + number + (closed.get() ? " (closed)" : "");
    }
}
