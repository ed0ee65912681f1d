package io.weir.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One end of a simulated link. Notices when it is used in a way that a {@link Link} does not allow. */
final class SimLink implements Link {

    /** Frames delivered in one turn at most. */
    private static final int BATCH = 16;

    private final Simulation simulation;
    private final Wire wire;
    private final SimLoop loop;
    private final Pipe in;
    private final Pipe out;
    private final Frame frame = new Frame();
    private final ByteBufAllocator allocator;
    private @Nullable LinkHandler handler;
    private boolean refused;
    private boolean roomDue;
    private boolean over;
    private boolean losing;
    private boolean handedBack;
    private boolean retains;

    SimLink(Simulation simulation, Wire wire, SimLoop loop, Pipe in, Pipe out) {
        this.simulation = simulation;
        this.wire = wire;
        this.loop = loop;
        this.in = in;
        this.out = out;
        this.allocator = new UnpooledByteBufAllocator(false, true);
        loop.attach(this);
        loop.owner().links().add(this);
    }

    Incarnation owner() {
        return loop.owner();
    }

    SimLoop loop() {
        return loop;
    }

    Wire wire() {
        return wire;
    }

    boolean isOver() {
        return over;
    }

    @Override
    public String transport() {
        return wire.shape().transport();
    }

    @Override
    public int maxFrame() {
        return wire.shape().maxFrame();
    }

    @Override
    public boolean takesInPlace(ByteBuf body) {
        return wire.shape().inPlace() && body.alloc() == allocator;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean offer(Frame next) {
        loop.mustBeHere("Link.offer");
        check(next);
        if (handedBack) {
            simulation.violated("a frame was offered to " + this + " after it had handed back: " + next);
        }
        if (over) {
            return false;
        }
        if (!out.hasRoom(next.length())) {
            refused = true;
            return false;
        }
        if (isWorthTelling(next.kind())) {
            simulation.trace(() -> this + " takes " + new Parcel(next, next.body()));
        }
        out.offer(next);
        return true;
    }

    /** Peers that have nothing to say would fill the trace with that. */
    private static boolean isWorthTelling(FrameKind kind) {
        return kind != FrameKind.PING && kind != FrameKind.PONG;
    }

    private void check(Frame next) {
        boolean tooLong = next.length() > maxFrame() && !takesInPlace(next.body());
        if (tooLong
                || next.hasRegion()
                || next.control().length > FrameLayout.MAX_CONTROL
                || next.has(Frame.LINK_FLAGS)
                || next.body().refCnt() == 0) {
            IllegalArgumentException refusal =
                    new IllegalArgumentException("no frame for " + this + ", which takes " + maxFrame() + ": " + next);
            simulation.violated("a frame that no link takes", refusal);
            throw refusal;
        }
    }

    @Override
    public void retain(long bytes) {
        loop.mustBeHere("Link.retain");
        if (retains) {
            simulation.violated(this + " was asked to retain twice");
        }
        retains = true;
        out.retain();
    }

    @Override
    public boolean handBack(Consumer<Frame> to) {
        loop.mustBeHere("Link.handBack");
        if (handedBack || (over && !losing)) {
            simulation.violated(this + " was asked to hand back twice, or after its end");
            return false;
        }
        if (!wire.shape().shared() && !retains) {
            return false;
        }
        handedBack = true;
        out.handBack(to);
        return true;
    }

    @Override
    public void handler(LinkHandler next) {
        loop.mustBeHere("Link.handler");
        if (!over) {
            handler = next;
            // Not from here: the caller does not expect to be called before this returns.
            loop.ready(this);
        }
    }

    boolean wantsRoom() {
        return refused && !over;
    }

    void roomMayBe() {
        if (wantsRoom() && !roomDue) {
            roomDue = true;
            loop.ready(this);
        }
    }

    /** Something may have arrived. */
    void come() {
        if (!over) {
            loop.ready(this);
        }
    }

    /** Gives the handler what there is for it; whether more is left. */
    boolean poll() {
        LinkHandler receiver = handler;
        if (over || receiver == null) {
            return false;
        }
        tellRoom(receiver);
        int most = 1 + simulation.chance().nextInt(BATCH);
        for (int count = 0; count < most && !over; count++) {
            Parcel next = in.take();
            if (next == null) {
                break;
            }
            deliver(next);
        }
        if (over) {
            return false;
        }
        WeirException reason = in.end();
        if (reason != null) {
            lose(reason);
        } else {
            in.await();
        }
        return !over && in.hasArrived();
    }

    private void tellRoom(LinkHandler receiver) {
        if (roomDue) {
            roomDue = false;
            if (refused && out.hasRoom(1)) {
                refused = false;
                receiver.writable();
            }
        }
    }

    private void deliver(Parcel parcel) {
        LinkHandler receiver = handler;
        if (receiver == null) {
            parcel.body.release();
            return;
        }
        if (isWorthTelling(parcel.kind)) {
            simulation.trace(() -> this + " brings " + parcel);
        }
        wire.carried(in, parcel.kind.code() >= FrameKind.OPEN.code());
        try {
            receiver.frame(parcel.into(frame));
        } catch (RuntimeException e) {
            simulation.violated("the handler of " + this + " has thrown", e);
            lose(new SessionLost("handling a frame failed: " + e, e));
        }
    }

    private void lose(WeirException reason) {
        LinkHandler receiver = handler;
        simulation.trace(() -> this + " is lost: " + reason.getMessage());
        shut();
        losing = true;
        if (receiver != null) {
            receiver.lost(reason);
        }
        losing = false;
        out.forget();
        out.endInOrder(new SessionLost("the other side has ended"));
    }

    private void shut() {
        over = true;
        handler = null;
        in.discard();
        loop.detach(this);
    }

    /** With everything that is on it. */
    void loopEnds() {
        lose(new SessionLost("the loop has ended"));
    }

    @Override
    public void close() {
        loop.mustBeHere("Link.close");
        if (!over) {
            simulation.trace(() -> this + " is closed");
            shut();
            out.forget();
            out.endInOrder(new SessionLost("the other side has closed"));
        }
    }

    @Override
    public String toString() {
        return wire + "@" + owner();
    }
}
