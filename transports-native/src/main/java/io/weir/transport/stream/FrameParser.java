package io.weir.transport.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.ContentMemory;
import io.weir.core.ControlData;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ReusedFrame;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames from a stream of bytes that may be cut anywhere. Nothing in these bytes is trusted: each field is read
 * once and checked before it is used, and memory is taken for one frame at a time, within its limit. Loop thread only.
 */
public final class FrameParser {

    /** Who gets the frames, and with each the ownership of its body. */
    @FunctionalInterface
    public interface Sink {
        /** Returns whether parsing goes on; false leaves the rest of the bytes unread. */
        boolean frame(Frame frame);
    }

    /**
     * A body that fills this part of the read buffer is passed on within it; a smaller one would keep too much alive.
     */
    private static final int WORTH_SLICING = 4;

    private static final byte[] NO_CONTROL = ControlData.empty().encoded();

    private enum Stage {
        HEAD,
        CONTROL,
        BODY,
        PADDING
    }

    private final Greeting greeting;
    private final LoopBuffers small;
    private final ByteBufAllocator large;
    private final Sink sink;
    private final ReusedFrame frames = new ReusedFrame();
    /** The beginning of a head that was cut off. */
    private final ByteBuf head = Unpooled.buffer(FrameLayout.HEADER + 2 * Long.BYTES);

    private Stage stage = Stage.HEAD;
    private @Nullable FrameKind kind;
    private long word0;
    private long word1;
    private long first;
    private long second;
    private byte[] control = NO_CONTROL;
    private int controlRead;
    private int bodyLength;
    private @Nullable ByteBuf body;
    private int skip;

    /**
     * Has read nothing so far.
     *
     * @param small gives buffers for short bodies
     * @param large gives buffers for the others
     */
    public FrameParser(Greeting greeting, LoopBuffers small, ByteBufAllocator large, Sink sink) {
        this.greeting = greeting;
        this.small = small;
        this.large = large;
        this.sink = sink;
    }

    /**
     * Reads frames until these bytes are used up or the sink wants no more. Keeps no reference to the buffer, except
     * through the bodies that were passed on.
     *
     * @throws ProtocolMismatch if these bytes are no frames; nothing can be read after that
     */
    public void parse(ByteBuf in) {
        boolean more = true;
        while (more) {
            more = switch (stage) {
                case HEAD -> readHead(in);
                case CONTROL -> readControl(in);
                case BODY -> readBody(in);
                case PADDING -> skipPadding(in);
            };
        }
    }

    /** Whether the bytes so far end within a frame. */
    public boolean isWithinFrame() {
        return (stage != Stage.HEAD && stage != Stage.PADDING) || head.isReadable();
    }

    /** What is wrong if the bytes end here, before the other side could be told from a stranger; null if nothing is. */
    public @Nullable ProtocolMismatch strangerAtEnd() {
        return greeting.isDone() || !head.isReadable() ? null : greeting.stranger(head);
    }

    /** Gives up the frame that has been read in part. */
    public void release() {
        ByteBuf partial = body;
        body = null;
        stage = Stage.HEAD;
        head.clear();
        if (partial != null) {
            partial.release();
        }
    }

    private boolean readHead(ByteBuf in) {
        if (!head.isReadable() && in.readableBytes() >= FrameLayout.HEADER) {
            long word = in.getLongLE(in.readerIndex());
            FrameKind known = check(word, in);
            if (known != null && in.readableBytes() >= FrameLayout.size(known.words(), FrameLayout.length(word))) {
                return readWhole(in, known);
            }
            if (in.readableBytes() >= headSize(known)) {
                takeHead(in);
                return true;
            }
        }
        return collectHead(in);
    }

    /** Most frames lie whole in what was read: then nothing has to be remembered. */
    private boolean readWhole(ByteBuf in, FrameKind known) {
        long head0 = in.readLongLE();
        long head1 = in.readLongLE();
        long word = known.words() > 0 ? in.readLongLE() : 0;
        long further = known.words() > 1 ? in.readLongLE() : 0;
        int length = FrameLayout.length(head0);
        byte[] controlData = newControl(FrameLayout.controlLength(head0));
        in.readBytes(controlData);
        int ofBody = length - controlData.length;
        ContentMemory lends = known == FrameKind.DATA ? frames.lends(ofBody, small) : null;
        ByteBuf whole = Unpooled.EMPTY_BUFFER;
        if (lends == null) {
            whole = wholeBody(in, ofBody);
        } else {
            in.readBytes(lends.bytes(), 0, ofBody);
        }
        in.skipBytes(FrameLayout.align(length) - length);
        Frame frame = fill(known, head0, head1, word, further, controlData, whole);
        return deliver(lends == null ? frame : frame.lend(lends, ofBody));
    }

    private boolean collectHead(ByteBuf in) {
        int size = FrameLayout.HEADER;
        if (head.readableBytes() < size) {
            head.writeBytes(in, Math.min(size - head.readableBytes(), in.readableBytes()));
            greeting.checkStart(head);
        }
        if (head.readableBytes() < size) {
            return false;
        }
        size = headSize(check(head.getLongLE(0), head));
        head.writeBytes(in, Math.min(size - head.readableBytes(), in.readableBytes()));
        if (head.readableBytes() < size) {
            return false;
        }
        takeHead(head);
        head.clear();
        return true;
    }

    /** Checks the header that begins so. Returns its kind; null for one that is skipped. */
    private @Nullable FrameKind check(long word, ByteBuf from) {
        int length = FrameLayout.length(word);
        int code = FrameLayout.kindCode(word);
        greeting.check(length, code, from);
        if (FrameLayout.controlLength(word) > length) {
            throw greeting.broken("a frame of " + length + " bytes with " + FrameLayout.controlLength(word)
                    + " bytes of control data");
        }
        FrameKind known = FrameKind.of(code);
        if (known == null && code < FrameKind.OPTIONAL) {
            throw greeting.broken("a frame of the unknown kind " + code);
        }
        return known;
    }

    /** Bytes of the header and the words behind it. */
    private static int headSize(@Nullable FrameKind known) {
        return FrameLayout.HEADER + (known == null ? 0 : Long.BYTES * known.words());
    }

    private void takeHead(ByteBuf from) {
        word0 = from.readLongLE();
        word1 = from.readLongLE();
        FrameKind known = FrameKind.of(FrameLayout.kindCode(word0));
        int length = FrameLayout.length(word0);
        if (known == null) {
            skip = FrameLayout.align(length);
            stage = Stage.PADDING;
            return;
        }
        first = known.words() > 0 ? from.readLongLE() : 0;
        second = known.words() > 1 ? from.readLongLE() : 0;
        kind = known;
        int controlLength = FrameLayout.controlLength(word0);
        bodyLength = length - controlLength;
        skip = FrameLayout.align(length) - length;
        control = newControl(controlLength);
        controlRead = 0;
        stage = controlLength == 0 ? Stage.BODY : Stage.CONTROL;
    }

    private static byte[] newControl(int length) {
        return length == 0 ? NO_CONTROL : new byte[length];
    }

    private boolean readControl(ByteBuf in) {
        int count = Math.min(control.length - controlRead, in.readableBytes());
        in.readBytes(control, controlRead, count);
        controlRead += count;
        if (controlRead < control.length) {
            return false;
        }
        stage = Stage.BODY;
        return true;
    }

    private boolean readBody(ByteBuf in) {
        ByteBuf filled = body;
        if (filled == null) {
            if (bodyLength <= in.readableBytes()) {
                return deliverRead(wholeBody(in, bodyLength));
            }
            if (!in.isReadable()) {
                // The next bytes may be the whole body, which then need not be copied.
                return false;
            }
            filled = newBody(bodyLength);
            body = filled;
        }
        filled.writeBytes(in, Math.min(bodyLength - filled.readableBytes(), in.readableBytes()));
        if (filled.readableBytes() < bodyLength) {
            return false;
        }
        body = null;
        return deliverRead(filled);
    }

    private ByteBuf wholeBody(ByteBuf in, int length) {
        if (length == 0) {
            return Unpooled.EMPTY_BUFFER;
        }
        if (length > LoopBuffers.LARGEST && length >= in.capacity() / WORTH_SLICING) {
            return in.readRetainedSlice(length);
        }
        return newBody(length).writeBytes(in, length);
    }

    private ByteBuf newBody(int length) {
        return length <= LoopBuffers.LARGEST ? small.take(length).writerIndex(0) : large.directBuffer(length, length);
    }

    private boolean deliverRead(ByteBuf whole) {
        FrameKind known = kind;
        if (known == null) {
            throw new IllegalStateException("a body without a head");
        }
        stage = skip == 0 ? Stage.HEAD : Stage.PADDING;
        return deliver(fill(known, word0, word1, first, second, control, whole));
    }

    private Frame fill(
            FrameKind known, long head0, long head1, long word, long further, byte[] controlData, ByteBuf whole) {
        greeting.checkFirst(known, whole);
        return frames.next()
                .set(
                        known,
                        FrameLayout.flags(head0) & ~Frame.LINK_FLAGS,
                        FrameLayout.channel(head1),
                        FrameLayout.aux(head1),
                        whole)
                .words(word, further)
                .control(controlData);
    }

    private boolean deliver(Frame frame) {
        try {
            return sink.frame(frame);
        } finally {
            frame.clear();
        }
    }

    private boolean skipPadding(ByteBuf in) {
        int count = Math.min(skip, in.readableBytes());
        in.skipBytes(count);
        skip -= count;
        if (skip > 0) {
            return false;
        }
        stage = Stage.HEAD;
        return in.isReadable();
    }
}
