package io.weir.simulator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.WeirException;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One direction of a link: what was offered at one end and has not been taken at the other. */
final class Pipe {

    private static final long NEVER = Long.MAX_VALUE;

    private final Simulation simulation;
    private final Wire wire;
    private final Shape shape;
    private final ArrayDeque<Parcel> underWay = new ArrayDeque<>();
    /** What the sender gets back if the link breaks, if it knows that at all. */
    private final ArrayDeque<Parcel> sent = new ArrayDeque<>();

    private int frames;
    private int bytes;
    private long latest;
    private long stalledUntil;
    /** What is offered from now on arrives nowhere. */
    private boolean severed;
    /** Nobody takes anything any more. */
    private boolean deaf;
    /** Nobody asks for anything back any more. */
    private boolean forgotten;

    private boolean awaited;
    private long endsAt = NEVER;
    private @Nullable WeirException reason;
    private boolean corrupt;
    private @Nullable Parcel overtaken;

    Pipe(Simulation simulation, Wire wire, Shape shape) {
        this.simulation = simulation;
        this.wire = wire;
        this.shape = shape;
        this.forgotten = !shape.shared();
    }

    /** The sender will want to have back what is offered from now on. */
    void retain() {
        forgotten = false;
    }

    private SimLink receiver() {
        return wire.receiver(this);
    }

    boolean hasRoom(int length) {
        return frames < shape.frames() && (frames == 0 || bytes + length <= shape.bytes());
    }

    /** Takes the frame's body over. */
    void offer(Frame frame) {
        Parcel parcel = new Parcel(frame, ownBody(frame.body()));
        frames++;
        bytes += parcel.length;
        if (!forgotten) {
            Parcel copy = new Parcel(parcel, again(parcel.body));
            sent.add(copy);
            parcel.copy = copy;
        }
        if (severed || deaf) {
            parcel.body.release();
            if (deaf && !shape.shared()) {
                taken(parcel);
            }
            return;
        }
        switch (wire.network().mutationOf(parcel)) {
            case NONE, HANDS_BACK_ALL_BUT_THE_LAST -> send(parcel);
            case DROPS_A_FRAME -> parcel.body.release();
            case DOUBLES_A_FRAME -> {
                send(new Parcel(parcel, again(parcel.body)));
                send(parcel);
            }
            case SWAPS_TWO_FRAMES -> overtaken = parcel;
            case ALTERS_A_BODY, ALTERS_A_PROOF -> send(altered(parcel));
            case LEAKS_A_BODY -> {
                parcel.body.retain();
                send(parcel);
            }
        }
    }

    /** Over a socket, bytes are copied; in shared memory they are the same. */
    private ByteBuf ownBody(ByteBuf body) {
        if (body.readableBytes() == 0 && body.maxCapacity() == 0) {
            return body;
        }
        if (body.alloc() instanceof UnpooledByteBufAllocator) {
            simulation.ledger().add(body, "the body of a frame");
        }
        if (shape.shared()) {
            return body.duplicate();
        }
        ByteBuf copy = Unpooled.copiedBuffer(body);
        simulation.ledger().add(copy, "a body received");
        body.release();
        return copy;
    }

    private static ByteBuf again(ByteBuf body) {
        return body.retainedDuplicate();
    }

    private Parcel altered(Parcel parcel) {
        ByteBuf copy = Unpooled.copiedBuffer(parcel.body);
        parcel.body.release();
        int at = copy.readableBytes() / 2;
        copy.setByte(at, copy.getByte(at) ^ 1);
        return new Parcel(parcel, copy);
    }

    private void send(Parcel parcel) {
        long way = shape.latency() + simulation.chance().nextLong(shape.jitter());
        latest = Math.max(Math.max(latest, simulation.now() + way), stalledUntil);
        parcel.arrivesAt = latest;
        underWay.add(parcel);
        Parcel late = overtaken;
        if (late != null) {
            overtaken = null;
            send(late);
        }
        await();
    }

    /** Tells the receiver when there is something for it. */
    void await() {
        Parcel next = underWay.peek();
        if (!awaited && (next != null || endsAt != NEVER)) {
            awaited = true;
            simulation.at(next != null ? next.arrivesAt : endsAt, () -> {
                awaited = false;
                receiver().come();
            });
        }
    }

    boolean hasArrived() {
        Parcel next = underWay.peek();
        return next != null && next.arrivesAt <= simulation.now();
    }

    /** The frame that has waited longest, if one has arrived. */
    @Nullable
    Parcel take() {
        if (!hasArrived()) {
            return null;
        }
        Parcel next = underWay.remove();
        taken(next);
        had(next.copy);
        if (corrupt) {
            corrupt = false;
            wire.network().corrupt(next);
        }
        return next;
    }

    private void taken(Parcel parcel) {
        frames--;
        bytes -= parcel.length;
        SimLink sender = wire.sender(this);
        if (sender.wantsRoom()) {
            simulation.after(shape.latency(), sender::roomMayBe);
        }
    }

    /** This frame is delivered now. What was sent before anybody wanted to have it back was not kept. */
    private void had(@Nullable Parcel kept) {
        if (kept == null) {
            return;
        }
        kept.had = true;
        int count = 0;
        for (Parcel each : sent) {
            count += each.had ? 1 : 0;
        }
        for (Parcel eldest; count > shape.memory() && (eldest = sent.peek()) != null && eldest.had; count--) {
            sent.remove().body.release();
        }
    }

    /** Why nothing more will come, if that is so. */
    @Nullable
    WeirException end() {
        return endsAt <= simulation.now() && !hasArrived() ? reason : null;
    }

    /** Nothing arrives before this time has passed. */
    void stall(long nanos) {
        stalledUntil = simulation.now() + nanos;
        latest = Math.max(latest, stalledUntil);
        for (Parcel each : underWay) {
            each.arrivesAt = Math.max(each.arrivesAt, stalledUntil);
        }
    }

    /** The next frame that arrives is spoilt. */
    void corrupt() {
        corrupt = true;
    }

    /** What has not arrived yet never will, nor anything else. */
    void sever() {
        severed = true;
        for (Parcel last; (last = underWay.peekLast()) != null && last.arrivesAt > simulation.now(); ) {
            underWay.removeLast().body.release();
        }
        dropOvertaken();
    }

    /** The receiver sees the end now, or after this time, when it has had everything that still arrives. */
    void end(long nanos, WeirException why) {
        if (endsAt == NEVER) {
            endsAt = simulation.now() + nanos;
            Parcel last = underWay.peekLast();
            if (last != null) {
                endsAt = Math.max(endsAt, last.arrivesAt);
            }
            reason = why;
            simulation.at(endsAt, () -> receiver().come());
        }
    }

    /** The sender has closed in good order. */
    void endInOrder(WeirException why) {
        dropOvertaken();
        end(Math.max(0, Math.max(latest, stalledUntil) - simulation.now()) + shape.latency(), why);
    }

    private void dropOvertaken() {
        Parcel late = overtaken;
        overtaken = null;
        if (late != null) {
            late.body.release();
        }
    }

    /** The receiver is no more. */
    void discard() {
        deaf = true;
        for (Parcel each; (each = underWay.poll()) != null; ) {
            each.body.release();
        }
    }

    /** Gives back every frame that has perhaps not been delivered. */
    void handBack(Consumer<Frame> to) {
        if (wire.network().mutation() == Mutation.HANDS_BACK_ALL_BUT_THE_LAST && !sent.isEmpty()) {
            sent.removeLast().body.release();
        }
        forgotten = true;
        Frame frame = new Frame();
        for (Parcel each; (each = sent.poll()) != null; ) {
            // What was delivered may be gone here: nobody needs it.
            boolean gone = each.had && simulation.oneIn(2);
            if (gone) {
                each.body.release();
            }
            to.accept(each.into(frame, gone ? Unpooled.EMPTY_BUFFER : each.body));
        }
    }

    /** The sender has no use for what it has sent any more. */
    void forget() {
        forgotten = true;
        for (Parcel each; (each = sent.poll()) != null; ) {
            each.body.release();
        }
    }
}
