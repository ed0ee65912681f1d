package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Makes the bodies of one side's frames, in every form in which a user may hand them over, and knows at the end whether
 * each was released exactly once.
 */
final class Bodies {

    /** How the bytes lie in memory. */
    enum Form {
        HEAP,
        DIRECT,
        /** A slice of memory that many bodies share. */
        SLICE,
        /** Gathered from three buffers. */
        COMPOSITE,
        READ_ONLY,
        /** With readable bytes that begin and end inside the buffer. */
        INNER,
        /** From {@link io.weir.core.Link#allocator()}. */
        LINK
    }

    private static final Form[] FORMS = Form.values();

    private final ByteBufAllocator ofLink;
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    private final ByteBuf shared = Noise.shared();
    private final Queue<ByteBuf> tracked = new ConcurrentLinkedQueue<>();

    Bodies(ByteBufAllocator ofLink) {
        this.ofLink = ofLink;
    }

    /** The allocator of the link. */
    ByteBufAllocator ofLink() {
        return ofLink;
    }

    /** A body with this piece of noise, in a form that follows from its place. The caller owns it. */
    ByteBuf any(int place, int length) {
        return in(FORMS[place % FORMS.length], place, length);
    }

    /** A body with this piece of noise. The caller owns it. */
    ByteBuf in(Form form, int place, int length) {
        return switch (form) {
            case HEAP -> Noise.write(memory.heapBuffer(length), place, length);
            case DIRECT -> Noise.write(memory.directBuffer(length), place, length);
            case SLICE -> shared.retainedSlice(place, length);
            case COMPOSITE -> composite(place, length);
            case READ_ONLY ->
                Noise.write(memory.directBuffer(length), place, length).asReadOnly();
            case INNER -> inner(place, length);
            case LINK -> Noise.write(ofLink.buffer(length), place, length);
        };
    }

    private ByteBuf composite(int place, int length) {
        int first = length / 3;
        int second = length / 2;
        return Unpooled.wrappedBuffer(
                in(Form.HEAP, place, first),
                in(Form.DIRECT, place + first, second - first),
                in(Form.SLICE, place + second, length - second));
    }

    private ByteBuf inner(int place, int length) {
        return Noise.write(memory.directBuffer(length + 24).setIndex(13, 13), place, length)
                .writeZero(8)
                .setIndex(13, 13 + length);
    }

    /** A body of any length, which costs no memory. The caller owns it. */
    ByteBuf huge(int length) {
        CompositeByteBuf body = memory.compositeBuffer(Integer.MAX_VALUE);
        for (int left = length; left > 0; left -= Noise.LONGEST) {
            body.addComponent(true, shared.retainedSlice(0, Math.min(left, Noise.LONGEST)));
        }
        return body;
    }

    /** As {@link #any}, of which one reference stays here until {@link #settle()}: so over-releasing shows as well. */
    ByteBuf tracked(int place, int length) {
        Form form = FORMS[place % FORMS.length];
        ByteBuf body = in(form == Form.SLICE ? Form.INNER : form, place, length); // slices share one count
        tracked.add(body.retain());
        return body;
    }

    /** Waits until everything is released; fails if something was released too often or never is. */
    void settle() {
        List<ByteBuf> all = new ArrayList<>();
        for (ByteBuf body = tracked.poll(); body != null; body = tracked.poll()) {
            all.add(body);
        }
        Await.until(
                () -> "every body released once; their counts, of which one is ours: "
                        + all.stream().map(ByteBuf::refCnt).toList(),
                () -> all.stream().allMatch(body -> body.refCnt() <= 1));
        if (all.stream().anyMatch(body -> body.refCnt() != 1)) {
            throw new AssertionError("a body was released more than once: "
                    + all.stream().map(ByteBuf::refCnt).toList());
        }
        all.forEach(ByteBuf::release);
        Await.until(
                () -> "all bodies released; " + memory.metric() + " are out, and " + (shared.refCnt() - 1) + " slices",
                () -> memory.metric().usedHeapMemory() == 0
                        && memory.metric().usedDirectMemory() == 0
                        && shared.refCnt() == 1);
    }
}
