package io.weir.transport.nativelib;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of its own pages in our address space, shared with others or not. It is counted: whoever keeps a way to reach
 * it holds it, and it is unmapped when the last holder lets go. An access after that kills the process, so whoever lets
 * go must have lost every way to reach it before: {@link #memory()} must not be kept longer than it is held.
 * Thread-safe.
 */
public final class Mapping {

    private static final AtomicInteger OPEN = new AtomicInteger();

    private final long address;
    private final ByteBuffer memory;
    private final AtomicInteger holders = new AtomicInteger(1);

    Mapping(long address, int length) {
        this.address = address;
        this.memory = MemoryIO.getInstance().newDirectByteBuffer(address, length);
        OPEN.incrementAndGet();
    }

    /** How many are mapped in this process. */
    public static int open() {
        return OPEN.get();
    }

    /** All of it, big-endian; position and limit must be left alone. */
    public ByteBuffer memory() {
        return memory;
    }

    /** Where it begins. */
    public long address() {
        return address;
    }

    /** Its bytes. */
    public int length() {
        return memory.capacity();
    }

    /**
     * One holder more.
     *
     * @throws IllegalStateException if it is unmapped already
     */
    public void retain() {
        if (holders.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw new IllegalStateException("the mapping is gone");
        }
    }

    /** One holder less; the last one unmaps. */
    public void release() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("released more often than held");
        }
        if (left == 0) {
            OPEN.decrementAndGet();
            Posix.unmap(address, memory.capacity());
        }
    }

    /** Holders at this moment. */
    public int holders() {
        return holders.get();
    }
}
