package io.weir.channel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;

/** A link that takes every frame and leads nowhere. */
final class Wire implements Link {

    /** Messages that were taken. */
    int messages;

    /** Ends of halves, by an error or in good order. */
    int ends;

    @Override
    public boolean offer(Frame frame) {
        if (frame.kind() == FrameKind.DATA) {
            messages++;
        } else if (frame.kind() == FrameKind.END || frame.kind() == FrameKind.ERROR) {
            ends++;
        }
        frame.release();
        return true;
    }

    @Override
    public String transport() {
        return "wire";
    }

    @Override
    public int maxFrame() {
        return 32 << 10;
    }

    @Override
    public ByteBufAllocator allocator() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void handler(LinkHandler handler) {
        throw new UnsupportedOperationException("nothing comes by this link");
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
