package io.weir.channel;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The payload of a message, which counts how often it is released: a second time is noticed whoever catches its
 * failure.
 */
final class Body extends UnpooledHeapByteBuf {

    private final AtomicInteger releases = new AtomicInteger();

    Body() {
        super(UnpooledByteBufAllocator.DEFAULT, Long.BYTES, Long.BYTES);
        writeLong(1);
    }

    @Override
    public boolean release() {
        releases.incrementAndGet();
        return super.release();
    }

    /** How many of these were released exactly once. */
    static int releasedOnce(Body... bodies) {
        int count = 0;
        for (Body body : bodies) {
            if (body.releases.get() == 1) {
                count++;
            }
        }
        return count;
    }
}
