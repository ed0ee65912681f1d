package io.weir.service.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.LoopBuffers;

/** A piece of a socket's stream, sent as one message. */
final class Segment {

    /** Long enough to make a message's cost vanish, short enough that what is under way stays little. */
    static final int LONGEST = 64 << 10;

    private static final int SMALL = 256;

    private Segment() {}

    /** For at least this many bytes, with room for the longest. Short ones are copied by the path anyway. */
    static ByteBuf of(int bytes, ByteBufAllocator allocator) {
        return bytes <= LoopBuffers.LARGEST
                ? Unpooled.buffer(Math.max(bytes, SMALL), LONGEST)
                : allocator.buffer(bytes, LONGEST);
    }
}
