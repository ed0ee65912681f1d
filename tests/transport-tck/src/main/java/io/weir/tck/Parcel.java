package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.time.Duration;

/** One frame under way in a {@link Wire}, with its body, which it owns. */
final class Parcel {

    private final FrameKind kind;
    private final int flags;
    private final int channel;
    private final int aux;
    private final long first;
    private final long second;
    private final byte[] control;
    private final ByteBuf body;
    private final int copied;
    private final long due;

    /** Takes over the body; everything else is that of the frame, but for the flags that belong to links. */
    Parcel(Frame frame, byte[] control, ByteBuf body, int copied, Duration delay) {
        this.kind = frame.kind();
        this.flags = frame.flags() & ~Frame.LINK_FLAGS;
        this.channel = frame.channel();
        this.aux = frame.aux();
        this.first = frame.first();
        this.second = frame.second();
        this.control = control;
        this.body = body;
        this.copied = copied;
        this.due = System.nanoTime() + delay.toNanos();
    }

    /** Bytes that the wire has a copy of: what lies in place costs it nothing. */
    int copied() {
        return copied;
    }

    /** How long it is held back from now on. */
    Duration untilDue() {
        return Duration.ofNanos(Math.max(0, due - System.nanoTime()));
    }

    /** Hands the body over. */
    Frame unpack(Frame into) {
        return into.set(kind, flags, channel, aux)
                .words(first, second)
                .control(control)
                .body(body);
    }

    void discard() {
        body.release();
    }
}
