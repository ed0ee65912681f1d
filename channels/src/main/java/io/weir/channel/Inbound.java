package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.weir.core.ControlData;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.ProtocolMismatch;
import io.weir.flow.CreditExceeded;
import io.weir.flow.Reassembler;
import io.weir.flow.Window;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel: keeps the account of demand, joins long messages, hands messages to the sink within its
 * demand, and holds what came before the sink asked. Loop thread only.
 */
final class Inbound {

    private record Held(Message message, int flags, int number, long cost) {}

    private final Session session;
    private final Channel channel;
    private final Window window;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private @Nullable MessageSink sink;
    private @Nullable Partial partial;
    private boolean delivering;
    /** The peer's END or ERROR has come, or the session is over: the peer may send nothing any more. */
    private boolean ended;

    private boolean confirm;
    /** What this half has failed with, here or there; what the peer has sent before it knew is released. */
    private @Nullable Throwable error;
    /** Nobody wants messages any more; what still comes is released. */
    private boolean cancelled;
    /** The sink has had its last signal. */
    private boolean told;

    /** Bytes of the node's budget that were reserved for a message longer than the window. */
    private long reserved;

    /** Whether a reservation is awaited; a peer that wants again meanwhile gains nothing. */
    private boolean reserving;

    /** Whether what was reserved has been lent to the peer. */
    private boolean lent;

    /** What the session's counters have of our demand. */
    private long demandCounted;

    Inbound(Session session, Channel channel, Window window) {
        this.session = session;
        this.channel = channel;
        this.window = window;
    }

    Window window() {
        return window;
    }

    boolean ended() {
        return ended;
    }

    /** Whether nothing is left here that would have to be released. */
    boolean done() {
        return told || held.isEmpty();
    }

    boolean cancelledHere() {
        return cancelled;
    }

    boolean hasSink() {
        return sink != null;
    }

    void sink(MessageSink consumer) {
        sink = consumer;
        // What came before an error is delivered before it, if it was asked for.
        handOut(consumer);
        drain();
    }

    /** More demand of the sink. */
    void request(long n) {
        if (cancelled) {
            return;
        }
        window.request(n);
        channel.touched();
        drain();
    }

    /** DATA: the frame's body becomes the message's. */
    void data(Frame frame) {
        ByteBuf body = frame.body();
        if (partial != null) {
            body.release();
            throw new ProtocolMismatch("a message began within another one on channel " + channel.number());
        }
        long cost = body.readableBytes() + (long) frame.control().length;
        boolean wanted = false;
        try {
            wanted = account(cost);
        } finally {
            if (!wanted) {
                body.release();
            }
        }
        if (!wanted) {
            return;
        }
        arrived(message(frame.control(), body), frame.flags(), frame.aux(), cost);
    }

    private static Message message(byte[] control, ByteBuf body) {
        if (control.length == 0) {
            return Message.of(body);
        }
        try {
            return Message.of(ControlData.decode(control), body);
        } catch (ProtocolMismatch e) {
            body.release();
            throw e;
        }
    }

    /** FIRST: a long message begins. */
    void first(Frame frame) {
        long total = frame.first();
        long cost = total + frame.control().length;
        try {
            if (partial != null || total < 1 || cost < total) {
                throw new ProtocolMismatch(
                        "a long message of " + total + " bytes can't begin now on channel " + channel.number());
            }
            if (account(cost)) {
                begin(frame, (int) total);
            }
        } catch (RuntimeException e) {
            frame.body().release();
            throw e;
        }
        next(frame);
    }

    private void begin(Frame frame, int total) {
        try {
            partial = new Partial(frame, session.longBuffer(total));
        } catch (OutOfMemoryError e) {
            // It is a limit of Netty's, and of one message: whoever needs less goes on.
            channel.fail(
                    ErrorCode.TOO_LARGE,
                    new MessageTooLarge("a message of " + total + " bytes finds no memory at the receiver ("
                            + e.getMessage() + "); give it more there with -XX:MaxDirectMemorySize, lower its"
                            + " weir.message.max=" + session.maxMessage() + ", or send the content in pieces"));
        }
    }

    /** A further piece. */
    void next(Frame frame) {
        ByteBuf piece = frame.body();
        try {
            if (cancelled || error != null) {
                return;
            }
            Partial whole = partial;
            if (whole == null) {
                throw new ProtocolMismatch("a piece of no message on channel " + channel.number());
            }
            whole.join(piece);
            if (whole.complete()) {
                partial = null;
                // What the last piece frees may be all the credit that there is.
                channel.touched();
                arrived(message(whole.control, whole.target), whole.flags, whole.number, whole.cost());
            }
        } catch (IllegalArgumentException e) {
            throw new ProtocolMismatch("on channel " + channel.number() + ": " + e.getMessage(), e);
        } finally {
            piece.release();
        }
    }

    /** Counts what came; false if nobody wants it. */
    private boolean account(long cost) {
        if (ended) {
            throw new ProtocolMismatch("a message after the end on channel " + channel.number());
        }
        if (cancelled || error != null) {
            return false;
        }
        try {
            window.arrived(cost);
        } catch (CreditExceeded e) {
            throw new ProtocolMismatch("on channel " + channel.number() + ": " + e.getMessage(), e);
        }
        channel.touched();
        return !tooLarge(cost);
    }

    /** The peer's own limit may be higher: not to know ours is no breach, and fails this channel only. */
    private boolean tooLarge(long cost) {
        if (cost <= session.maxMessage()) {
            return false;
        }
        channel.fail(
                ErrorCode.TOO_LARGE,
                new MessageTooLarge("a message of " + cost + " bytes exceeds the receiver's weir.message.max="
                        + session.maxMessage() + "; raise it there, or send the content in pieces"));
        return true;
    }

    private void arrived(Message message, int flags, int number, long cost) {
        session.arrived(cost);
        if (sink != null && !delivering && held.isEmpty() && window.mayDeliver()) {
            deliver(sink, message, flags, number, cost);
            if (ended || error != null || !held.isEmpty()) {
                drain();
            }
        } else {
            held.add(new Held(message, flags, number, cost));
            waits(1, cost);
        }
    }

    /** What the sink wants of the peer; {@link Window#UNBOUNDED} if everything. */
    long demand() {
        return over() ? 0 : window.demand();
    }

    int queued() {
        return held.size();
    }

    long queuedBytes() {
        return held.stream().mapToLong(Held::cost).sum();
    }

    private void waits(int messages, long bytes) {
        Counters counters = session.counters();
        counters.queuedMessages += messages;
        counters.queuedBytes += bytes;
    }

    /** What is wanted changes with each message; what is shown of it follows at the end of a turn, or of this half. */
    private void countDemand() {
        long now = Math.min(demand(), session.windowItems());
        session.counters().demand += now - demandCounted;
        demandCounted = now;
    }

    private void deliver(MessageSink to, Message message, int flags, int number, long cost) {
        window.delivered();
        window.freed(cost);
        delivering = true;
        try {
            to.message(message, flags, number);
        } catch (Throwable t) {
            // Also what Reactor calls fatal and hands on, such as a class that is missing: who goes on behind it has
            // lost a message.
            channel.fail(t);
        } finally {
            delivering = false;
        }
    }

    private void drain() {
        MessageSink to = sink;
        if (delivering || to == null || told) {
            return;
        }
        if (error == null) {
            handOut(to);
        }
        if (!told && (error != null || (ended && held.isEmpty()))) {
            tell(to);
        }
    }

    private void handOut(MessageSink to) {
        Throwable before = error;
        while (!cancelled && error == before && window.mayDeliver()) {
            Held next = held.poll();
            if (next == null) {
                break;
            }
            channel.touched();
            waits(-1, -next.cost);
            deliver(to, next.message, next.flags, next.number, next.cost);
        }
    }

    private void tell(MessageSink to) {
        told = true;
        Throwable reason = error;
        release();
        if (reason == null) {
            to.ended();
            if (confirm) {
                channel.confirm();
            }
        } else {
            to.failed(reason);
        }
        channel.forget();
    }

    /** The peer has ended this half in good order. */
    void end(boolean confirmAsked) {
        if (ended || partial != null) {
            throw new ProtocolMismatch(
                    "the end came " + (ended ? "twice" : "within a message") + " on channel " + channel.number());
        }
        ended = true;
        countDemand();
        confirm = confirmAsked;
        if (cancelled && confirmAsked) {
            channel.confirm();
        }
        drain();
    }

    /** This half ends with an error now; what was held is dropped. Idempotent, nothing after an end. */
    void fail(Throwable reason) {
        if (ended || error != null) {
            return;
        }
        error = reason;
        countDemand();
        drain();
        if (unwanted()) {
            release();
        }
    }

    /** Nobody receives, nor is about to. */
    private boolean unwanted() {
        return sink == null && !channel.hasReceiver();
    }

    /** The peer has failed this half: nothing comes any more. */
    void failedByPeer(Throwable reason) {
        fail(reason);
        ended = true;
    }

    /** The session is over. A sink goes on with what has come before the end; what nobody has asked for yet is lost. */
    void lost(Throwable reason) {
        if (error == null && unwanted()) {
            error = reason;
            release();
        }
        failedByPeer(reason);
    }

    /** Our node ends: what has come whole, and still waits to be asked for, is lost. */
    void abandon(Throwable reason) {
        if (!done()) {
            error = reason;
            drain();
            release();
        }
    }

    /** The sink wants no more, which is as good as having had everything. */
    void cancel() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        countDemand();
        if (ended && confirm && !told) {
            channel.confirm();
        }
        told = true;
        release();
        channel.forget();
    }

    private void release() {
        for (Held each; (each = held.poll()) != null; ) {
            waits(-1, -each.cost);
            each.message.release();
        }
        Partial half = partial;
        partial = null;
        if (half != null) {
            half.target.release();
        }
        giveBack();
    }

    private void giveBack() {
        session.budget().release(reserved);
        reserved = 0;
        lent = false;
    }

    /**
     * The peer needs this much credit for one message. What exceeds the window is reserved from the node's budget first.
     */
    void want(long bytes) {
        if (bytes < 0) {
            throw new ProtocolMismatch("a message of " + bytes + " bytes was announced on channel " + channel.number());
        }
        if (over() || tooLarge(bytes)) {
            return;
        }
        long extra = bytes - session.windowBytes() - reserved;
        if (extra <= 0) {
            wanted(bytes);
            return;
        }
        if (reserving) {
            return;
        }
        reserving = true;
        session.budget().reserve(extra, session.loop(), () -> {
            reserving = false;
            reserved += extra;
            if (over()) {
                giveBack();
            } else {
                wanted(bytes);
            }
        });
    }

    private void wanted(long bytes) {
        if (window.granted() < bytes) {
            window.want(bytes);
            channel.touched();
        }
    }

    /** Whether nothing more comes, or is wanted. */
    boolean over() {
        return cancelled || ended || error != null;
    }

    long itemsToGrant() {
        countDemand();
        return over() ? 0 : window.itemsToGrant();
    }

    long bytesToGrant() {
        if (over()) {
            return 0;
        }
        long bytes = window.bytesToGrant();
        if (window.lent() > 0) {
            lent = true;
        } else if (lent) {
            giveBack();
        }
        return bytes;
    }

    /** A long message whose pieces are coming in. */
    private static final class Partial {

        final byte[] control;
        final int flags;
        final int number;
        final ByteBuf target;
        private final Reassembler plan;

        /** The buffer has room for all of it and no more. */
        Partial(Frame frame, ByteBuf target) {
            control = frame.control();
            flags = frame.flags();
            number = frame.aux();
            plan = new Reassembler(target.capacity(), target.capacity());
            this.target = target;
        }

        void join(ByteBuf piece) {
            plan.accept(piece.readableBytes());
            target.writeBytes(piece);
        }

        boolean complete() {
            return plan.complete();
        }

        long cost() {
            return target.writerIndex() + (long) control.length;
        }
    }
}
