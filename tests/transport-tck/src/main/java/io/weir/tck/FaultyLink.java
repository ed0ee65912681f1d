package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A link in memory that fails on demand: for tests of everything above a link. Without a fault it fulfils the whole
 * contract of a link; it is bounded like a real one, so it also fills up.
 *
 * <p><b>Threads.</b> As in {@link Link}; what sets a fault may be called by any thread and holds for the frames that
 * are offered from then on.
 */
public final class FaultyLink implements Link {

    /** Small, so that tests come to its end. */
    static final int MAX_FRAME = 64 << 10;

    private final Loop loop;
    private final InPlaceBlocks blocks = new InPlaceBlocks();
    private final Frame inbound = new Frame();
    private final Wire incoming = new Wire(this);
    private @Nullable FaultyLink peer;
    private @Nullable LinkHandler handler;
    private @Nullable WeirException untold;
    private boolean closed;
    private boolean lost;
    private boolean refused;
    private volatile boolean stalled;
    private volatile Misfortune misfortune = new Misfortune(Faults.none());

    private FaultyLink(Loop loop) {
        this.loop = loop;
    }

    /** Two links that are connected to each other. */
    public record Pair(FaultyLink first, FaultyLink second) {

        /** Both sides lose the link, after the frames that are on their way. */
        public void breakBoth(WeirException reason) {
            first.endAfterAll(reason);
            second.endAfterAll(reason);
        }
    }

    /** Joins two links, each living on its loop. */
    public static Pair pair(Loop first, Loop second) {
        FaultyLink one = new FaultyLink(first);
        FaultyLink other = new FaultyLink(second);
        one.peer = other;
        other.peer = one;
        return new Pair(one, other);
    }

    /** What befalls the frames that are offered here from now on. */
    public void faults(Faults faults) {
        misfortune = new Misfortune(faults);
    }

    /** Says no to every offer until {@link #resume()}. */
    public void stall() {
        stalled = true;
    }

    /** Takes frames again, and says so to who was told no. */
    public void resume() {
        stalled = false;
        onLoop(this::roomAgain);
    }

    /** Loses the link on this side alone and at once: the other side goes on, and what it sends is gone. */
    public void breakHere(WeirException reason) {
        onLoop(() -> lose(reason));
    }

    @Override
    public String transport() {
        return "faulty";
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public boolean takesInPlace(ByteBuf body) {
        return blocks.hold(body);
    }

    @Override
    public ByteBufAllocator allocator() {
        return blocks;
    }

    @Override
    public boolean offer(Frame frame) {
        if (closed || lost) {
            return false;
        }
        boolean inPlace = takesInPlace(frame.body());
        check(frame, inPlace);
        Wire outgoing = other().incoming;
        if (stalled || outgoing.refuses()) {
            refused = true;
            return false;
        }
        misfortune.pass(frame, inPlace, outgoing);
        if (misfortune.breaksNow()) {
            WeirException reason = new SessionLost("the link breaks, as its script says");
            other().endAfterAll(reason);
            endAfterAll(reason);
        }
        return true;
    }

    private static void check(Frame frame, boolean inPlace) {
        if (frame.region() != null) {
            throw new IllegalArgumentException("a faulty link takes no file regions: " + frame);
        }
        int length = frame.control().length + (inPlace ? 0 : frame.bodyLength());
        if (length > MAX_FRAME || frame.control().length > FrameLayout.MAX_CONTROL) {
            throw new IllegalArgumentException(frame + " is longer than " + MAX_FRAME);
        }
    }

    @Override
    public void handler(LinkHandler handler) {
        this.handler = handler;
        onLoop(() -> {
            tellLost();
            roomAgain();
        });
        incoming.attend();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (!lost) {
                incoming.abandon();
                other().endAfterAll(new SessionLost("the other side has closed the link"));
            }
        }
    }

    boolean receives() {
        return handler != null && !closed && !lost;
    }

    /** Delivers one frame; on the loop, when somebody receives. */
    void deliver(Parcel parcel) {
        try {
            Objects.requireNonNull(handler).frame(parcel.unpack(inbound));
        } catch (RuntimeException e) {
            SessionLost reason = new SessionLost("the handler of this link has failed: " + e, e);
            lose(reason);
            other().endAfterAll(new SessionLost("the handler of the other side has failed"));
        } finally {
            inbound.clear();
        }
    }

    /** Room has come back in the wire that this link sends into; on the loop. */
    void roomAgain() {
        LinkHandler sender = handler;
        if (refused
                && sender != null
                && !closed
                && !lost
                && !stalled
                && !other().incoming.refuses()) {
            refused = false;
            sender.writable();
        }
    }

    /** Loses the link after all frames that are on their way here. */
    void endAfterAll(WeirException reason) {
        incoming.end(reason);
    }

    /** Loses the link now; on the loop. */
    void lose(WeirException reason) {
        if (!closed && !lost) {
            lost = true;
            untold = reason;
            incoming.abandon();
            tellLost();
        }
    }

    private void tellLost() {
        WeirException reason = untold;
        LinkHandler receiver = handler;
        if (reason != null && receiver != null && !closed) {
            untold = null;
            receiver.lost(reason);
        }
    }

    FaultyLink other() {
        FaultyLink joined = peer;
        if (joined == null) {
            throw new IllegalStateException("not joined");
        }
        return joined;
    }

    /** Runs this on the loop; a loop that has ended takes its links with it. */
    void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            incoming.abandon();
        }
    }

    Loop loop() {
        return loop;
    }
}
