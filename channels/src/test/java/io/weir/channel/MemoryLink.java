package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.Pollable;
import io.weir.core.SessionLost;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** One end of a link in memory on one loop, with room for a number of frames. */
final class MemoryLink implements Link, Pollable {

    static final int MAX_FRAME = 32 * 1024;

    @SuppressWarnings("ArrayRecordComponent")
    private record Sent(
            FrameKind kind, int flags, int channel, int aux, long first, long second, byte[] control, ByteBuf body) {}

    private final Loop loop;
    private final int room;
    private final int maxFrame;
    private final ArrayDeque<Sent> incoming = new ArrayDeque<>();
    private final Frame frame = new Frame();
    private MemoryLink other;
    private LinkHandler handler;
    private boolean refused;
    private boolean closed;
    private boolean takesNothing;
    /** Frames that went from here, for tests that look at the wire. */
    int sent;

    private MemoryLink(Loop loop, int room, int maxFrame) {
        this.loop = loop;
        this.room = room;
        this.maxFrame = maxFrame;
        loop.add(this);
    }

    /** Both ends. */
    static MemoryLink[] pair(Loop loop, int room) {
        return pair(loop, room, MAX_FRAME);
    }

    /** Both ends, which take frames up to this length. */
    static MemoryLink[] pair(Loop loop, int room, int maxFrame) {
        MemoryLink one = new MemoryLink(loop, room, maxFrame);
        MemoryLink two = new MemoryLink(loop, room, maxFrame);
        one.other = two;
        two.other = one;
        return new MemoryLink[] {one, two};
    }

    @Override
    public String transport() {
        return "memory";
    }

    @Override
    public int maxFrame() {
        return maxFrame;
    }

    @Override
    public ByteBufAllocator allocator() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public boolean offer(Frame next) {
        if (next.length() > maxFrame) {
            throw new IllegalArgumentException("too long: " + next);
        }
        if (closed) {
            return false;
        }
        if (other.incoming.size() >= room) {
            refused = true;
            return false;
        }
        sent++;
        other.incoming.add(new Sent(
                next.kind(),
                next.flags(),
                next.channel(),
                next.aux(),
                next.first(),
                next.second(),
                next.control(),
                next.body()));
        return true;
    }

    @Override
    public boolean handBack(Consumer<Frame> to) {
        for (Sent each : other.incoming) {
            to.accept(new Frame()
                    .set(each.kind, each.flags, each.channel, each.aux, each.body.retain())
                    .words(each.first, each.second)
                    .control(each.control));
        }
        return true;
    }

    @Override
    public void handler(LinkHandler next) {
        handler = next;
    }

    /** As a peer whose process is stopped, from now on or no longer. */
    void takeNothing(boolean whether) {
        takesNothing = whether;
    }

    @Override
    public int poll() {
        if (takesNothing) {
            return 0;
        }
        int count = 0;
        if (refused && other.incoming.size() < room && !closed) {
            refused = false;
            handler.writable();
            count++;
        }
        while (handler != null && !closed && count < 64 && takeOne()) {
            count++;
        }
        if (other.closed && incoming.isEmpty() && !closed) {
            lose("the other end has closed");
            count++;
        }
        return count;
    }

    /** Hands over the frame that has waited longest, if there is one. */
    boolean takeOne() {
        Sent next = incoming.poll();
        if (next == null) {
            return false;
        }
        frame.set(next.kind, next.flags, next.channel, next.aux, next.body)
                .words(next.first, next.second)
                .control(next.control);
        handler.frame(frame);
        return true;
    }

    /** Breaks this end now. */
    void lose(String reason) {
        shut();
        handler.lost(new SessionLost(reason));
    }

    private void shut() {
        closed = true;
        loop.remove(this);
        incoming.forEach(each -> each.body.release());
        incoming.clear();
    }

    @Override
    public void close() {
        if (!closed) {
            shut();
        }
    }

    @Override
    public boolean asleep() {
        return incoming.isEmpty();
    }

    @Override
    public void awake() {
        // The test's thread never sleeps.
    }
}
