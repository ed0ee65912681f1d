package io.weir.transport.local;

import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.PeerUnavailable;
import io.weir.core.Pollable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.lang.invoke.VarHandle;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** One end of a link between two loops of this JVM, which may be the same. */
final class LocalLink implements Link, Pollable, Disposable {

    /** Bodies are passed by reference, so nothing is gained by cutting them. */
    static final int MAX_FRAME = 1 << 30;

    /** Frames delivered in one turn at most. */
    private static final int BATCH = 64;

    private final UUID number = UUID.randomUUID();
    private final NettyLoop loop;
    private final String peer;
    private final Pipe inbound;
    private final ByteBufAllocator allocator;
    private final Frame received = new Frame();
    private final Runnable flush = this::flush;

    private @Nullable Pipe outbound;
    private @Nullable LinkHandler handler;
    private boolean flushDue;
    private boolean refused;
    private boolean ended;

    /** One half, to be joined with another one. On the loop's thread. */
    LocalLink(NettyLoop loop, int queueLength, String peer) {
        this.loop = loop;
        this.peer = peer;
        this.inbound = new Pipe(this, queueLength);
        this.allocator = loop.buffers().before(ByteBufAllocator.DEFAULT);
        Halves.register(number, this);
        loop.closeAtEnd(this);
    }

    /** Under which the other half finds this one. */
    UUID number() {
        return number;
    }

    /** Sends to that half from now on, and receives what it sends. */
    void join(LocalLink other) {
        Pipe pipe = other.inbound;
        pipe.producer = this;
        VarHandle.fullFence();
        if (pipe.isAbandoned()) {
            throw new PeerUnavailable("the other half of the local link to " + peer + " was given up");
        }
        outbound = pipe;
        loop.add(this);
    }

    @Override
    public String transport() {
        return LocalTransport.NAME;
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean offer(Frame frame) {
        Pipe pipe = outbound;
        if (ended || pipe == null) {
            return false;
        }
        check(frame);
        if (!pipe.hasRoom()) {
            refused = true;
            awaitRoom(pipe);
            return false;
        }
        pipe.put(frame);
        if (!flushDue) {
            flushDue = true;
            loop.atTurnEnd(flush);
        }
        return true;
    }

    private static void check(Frame frame) {
        if (frame.hasRegion()) {
            throw new IllegalArgumentException("a local link takes buffers, not pieces of files: " + frame.kind());
        }
        if (frame.control().length > FrameLayout.MAX_CONTROL) {
            throw new IllegalArgumentException("control data of " + frame.control().length
                    + " bytes is longer than the " + FrameLayout.MAX_CONTROL + " that a frame has room for");
        }
        if (frame.body().readableBytes() > MAX_FRAME - frame.control().length) {
            throw new IllegalArgumentException("a body of " + frame.body().readableBytes()
                    + " bytes is longer than the " + MAX_FRAME + " that local takes, control data included");
        }
    }

    private void flush() {
        flushDue = false;
        Pipe pipe = outbound;
        if (pipe != null) {
            pipe.tellConsumer();
        }
    }

    /** Brings this link's loop to poll it. Any thread. */
    void wake() {
        tell(LocalLink::comeRound);
    }

    /** A turn of the loop polls everything; there is nothing else to do. */
    private static void comeRound() {}

    /** There is room in the outbound pipe. Any thread. */
    void roomThere() {
        tell(this::tellRoom);
    }

    private void tell(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and this link with it: there is nobody to be told.
        }
    }

    private void tellRoom() {
        LinkHandler receiver = handler;
        Pipe pipe = outbound;
        if (!refused || receiver == null || pipe == null) {
            return;
        }
        if (pipe.hasRoom()) {
            refused = false;
            receiver.writable();
        } else {
            awaitRoom(pipe);
        }
    }

    private void awaitRoom(Pipe pipe) {
        if (pipe.awaitRoom()) {
            roomThere();
        }
    }

    @Override
    public void handler(LinkHandler next) {
        if (!ended) {
            handler = next;
            if (refused) {
                roomThere();
            }
        }
    }

    @Override
    public int poll() {
        int count = 0;
        try {
            while (count < BATCH && handler != null && inbound.take(received) != null) {
                count++;
                deliver(handler);
            }
        } catch (Throwable e) {
            loop.linkFailed(e);
            lost(
                    e instanceof WeirException known
                            ? known
                            : new SessionLost(
                                    "the local link to " + peer + " was ended here, as handling a frame failed: " + e,
                                    e));
        }
        if (count > 0) {
            inbound.tellProducer();
        } else if (handler != null && inbound.isOver()) {
            lost(new SessionLost("the local link to " + peer + " has ended: the other side closed it"));
        }
        return count;
    }

    private void deliver(LinkHandler receiver) {
        try {
            receiver.frame(received);
        } finally {
            received.clear();
        }
    }

    @Override
    public boolean asleep() {
        return inbound.fallAsleep() || handler == null;
    }

    @Override
    public void awake() {
        inbound.wakeUp();
    }

    /** The loop ends. */
    @Override
    public void dispose() {
        lost(new SessionLost("the local link to " + peer + " was ended here, with the loop that it was on"));
    }

    private void lost(WeirException reason) {
        LinkHandler receiver = handler;
        close();
        if (receiver != null) {
            receiver.lost(reason);
        }
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        handler = null;
        Halves.withdraw(number);
        loop.forget(this);
        loop.remove(this);
        inbound.abandon();
        Pipe pipe = outbound;
        LocalLink other = pipe == null ? inbound.producer : pipe.consumer;
        if (other != null) {
            other.inbound.end();
        }
    }
}
