package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.ControlData;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.LoopBuffers;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.PeerMemory;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import io.weir.flow.CreditExceeded;
import io.weir.flow.Reassembler;
import io.weir.flow.Window;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a channel: keeps the account of demand, joins long messages, hands messages to the sink within
 * its demand, and holds what came before the sink asked. Loop thread only.
 */
final class Inbound implements Decoding.Source, Loan.Borrower {

    private record Held(Message message, int flags, int number, long cost) {}

    private final Session session;
    private final Channel channel;
    private final Window window;
    private final Loan loan;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private @Nullable MessageSink sink;
    /** Whether it can ever do without messages. */
    private boolean inPlace;

    private @Nullable Partial partial;
    /** Bytes of all pieces so far. */
    private long joined;

    /** What the other half had handed over when the loan was looked at. */
    private long answersTaken;

    /** What waited there then. */
    private long answersKept = Long.MAX_VALUE;

    private boolean delivering;
    /** The sink takes nothing for now, whatever it has asked for. */
    private boolean paused;
    /** The peer's END or ERROR has come, or the session is over: the peer may send nothing any more. */
    private boolean ended;

    private boolean confirm;
    /** What this half has failed with, here or there; what the peer has sent before it knew is released. */
    private @Nullable Throwable error;
    /** Nobody wants messages any more; what still comes is released. */
    private boolean cancelled;
    /** The sink has had its last signal. */
    private boolean told;

    /** What the session's counters have of our demand. */
    private long demandCounted;

    /**
     * What the sink keeps of what it was delivered; null for a sink whose messages are no longer ours when they were
     * delivered.
     */
    private @Nullable Kept kept;

    /**
     * The same for other threads. Every message looks at {@link #kept}: behind a volatile field, the compiler would
     * load the whole account of the window again.
     */
    private volatile @Nullable Kept keptForOthers;

    Inbound(Session session, Channel channel, Window window) {
        this.session = session;
        this.channel = channel;
        this.window = window;
        this.loan = new Loan(window, session.memory(), session.loop(), session, this);
    }

    Window window() {
        return window;
    }

    Loan loan() {
        return loan;
    }

    boolean ended() {
        return ended;
    }

    /** Whether nothing is left here that would have to be released, nor with a sink that keeps it. */
    boolean done() {
        Kept with = kept;
        return (told || held.isEmpty()) && (with == null || with.isEmpty());
    }

    /** From now on what was delivered stays in the window until it was {@link #consumed}. */
    void keep() {
        if (kept == null) {
            kept = new Kept();
            keptForOthers = kept;
        }
    }

    /** So many bytes are with the sink no longer. Any thread; does nothing for a sink that keeps nothing. */
    void consumed(long bytes) {
        Kept with = keptForOthers;
        if (with != null && with.drop(bytes)) {
            channel.execute(this::settleKept);
        }
    }

    private void settleKept() {
        if (freeDropped()) {
            channel.touched();
            if (over()) {
                if (done()) {
                    loan.end();
                }
                channel.forget();
            }
        }
    }

    private void freed(long bytes) {
        window.freed(bytes);
        if (over()) {
            loan.nothingMoreComes();
        }
    }

    /** Whether anything was free. */
    private boolean freeDropped() {
        Kept with = kept;
        long bytes = with == null ? 0 : with.settle();
        if (bytes > 0) {
            freed(bytes);
        }
        return bytes > 0;
    }

    /**
     * How soon the loop has to know of what the sink drops: at once if the peer, or the end of this half, waits for it.
     */
    private void watchKept() {
        Kept with = kept;
        if (with != null) {
            with.worth(over() || loan.isWanted() || window.wanted() != 0 ? 1 : window.maxBytes() / 4);
            // Behind that: what was dropped before, nobody may have told.
            var unused = freeDropped();
        }
    }

    boolean cancelledHere() {
        return cancelled;
    }

    boolean hasSink() {
        return sink != null;
    }

    void sink(MessageSink consumer) {
        sink = consumer;
        inPlace = consumer.isInPlace();
        // What came before an error is delivered before it, if it was asked for.
        handOut(consumer);
        drain();
    }

    /** The sink takes nothing any more, or takes again: what comes meanwhile is held, and its credit is not renewed. */
    @Override
    public void pause(boolean pauses) {
        if (paused != pauses) {
            paused = pauses;
            drain();
        }
    }

    boolean isPaused() {
        return paused;
    }

    @Override
    public void subscriberFailed(Throwable error) {
        channel.fail(error);
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

    /** DATA: the frame's body becomes the message's, unless it is lent and the sink takes it so. */
    void data(Frame frame) {
        if (frame.isLent() && isTakenLent(frame)) {
            return;
        }
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
        byte[] control = frame.control();
        if (inPlace && control.length == 0 && kept == null && sink != null && sink.takesContent() && mayDeliverNow()) {
            // The next one will be as this one could have been.
            frame.lendNext();
        }
        arrived(message(control, body), frame.flags(), frame.aux(), cost);
    }

    /** Delivers what is lent, if the sink can take it so and now; nothing has happened otherwise. */
    private boolean isTakenLent(Frame frame) {
        MessageSink to = sink;
        if (!inPlace || to == null || kept != null || partial != null || frame.control().length != 0) {
            return false;
        }
        if (!mayDeliverNow() || !to.takesContent()) {
            return false;
        }
        int cost = frame.bodyLength();
        if (account(cost)) {
            session.arrived(cost);
            deliver(to, frame, cost);
            drainIfDue();
        }
        return true;
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
        ByteBuf target = session.longBuffer(total);
        if (target == null) {
            channel.fail(
                    ErrorCode.TOO_LARGE,
                    new MessageTooLarge("a message of " + total + " bytes finds no direct memory at the receiver, whose"
                            + " program uses nearly all of it; give it more there with -XX:MaxDirectMemorySize, lower"
                            + " its weir.message.max=" + session.maxMessage() + ", or send the content in pieces"));
        } else {
            partial = new Partial(frame, target);
        }
    }

    /** A further piece. */
    void next(Frame frame) {
        ByteBuf piece = frame.body();
        try {
            if (ended) {
                throw new ProtocolMismatch("a piece behind END on channel " + channel.number());
            }
            if (cancelled || error != null) {
                return;
            }
            Partial whole = partial;
            if (whole == null) {
                throw new ProtocolMismatch("a piece of no message on channel " + channel.number());
            }
            joined += piece.readableBytes();
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
        if (sink != null && !window.mayDeliver()) {
            sink.arrives();
        }
        if (sink != null && mayDeliverNow()) {
            deliver(sink, message, flags, number, cost);
            drainIfDue();
        } else {
            held.add(new Held(compact(message), flags, number, cost));
            waits(1, cost);
        }
    }

    private boolean mayDeliverNow() {
        return !delivering && !paused && held.isEmpty() && window.mayDeliver();
    }

    private void drainIfDue() {
        if (ended || error != null || !held.isEmpty()) {
            drain();
        }
    }

    /** A short message must not keep alive the long buffer in which it came. */
    static Message compact(Message message) {
        int length = message.size();
        int beside = whole(message).capacity() - length;
        return beside > Math.max(length / 2, LoopBuffers.LARGEST) && DirectMemory.hasRoom(length)
                ? copy(message, PooledByteBufAllocator.DEFAULT)
                : message;
    }

    /** As {@link #compact}; nor may it keep memory of the peer, all of which stays as long as a part of it is used. */
    static Message apart(Message message) {
        if (!(whole(message) instanceof PeerMemory)) {
            return compact(message);
        }
        return copy(
                message,
                DirectMemory.hasRoom(message.size())
                        ? PooledByteBufAllocator.DEFAULT
                        : new UnpooledByteBufAllocator(false));
    }

    private static ByteBuf whole(Message message) {
        ByteBuf whole = message.payload();
        for (ByteBuf outer; (outer = whole.unwrap()) != null; ) {
            whole = outer;
        }
        return whole;
    }

    private static Message copy(Message message, ByteBufAllocator memory) {
        ByteBuf body = message.payload();
        int length = body.readableBytes();
        ByteBuf room;
        try {
            room = memory.buffer(length, length);
        } catch (OutOfMemoryError e) {
            // It was only to save some.
            return message;
        }
        Message copy = Message.of(message.control(), room.writeBytes(body, body.readerIndex(), length));
        message.release();
        return copy;
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
        Kept with = kept;
        int stays = with == null ? 0 : message.payload().readableBytes();
        window.delivered();
        freed(cost - stays);
        delivering = true;
        try {
            if (with == null && cost > window.maxBytes() / 2 && !loan.isNeeded()) {
                grantBefore(message);
            }
            if (cancelled) {
                message.release();
            } else if (with == null) {
                to.message(message, flags, number);
            } else {
                with.add(stays);
                to.message(compact(message), flags, number);
            }
        } catch (Throwable t) {
            // Also what Reactor calls fatal and hands on, such as a class that is missing: who goes on behind it has
            // lost a message.
            channel.fail(t);
        } finally {
            delivering = false;
        }
    }

    /** Without this, the answer to the message would reach the peer before the credit for its next one. */
    private void grantBefore(Message message) {
        try {
            channel.grantNow();
        } catch (Throwable t) {
            message.release();
            throw t;
        }
    }

    /** The same with content that is lent, for a sink that keeps nothing. */
    private void deliver(MessageSink to, Frame frame, long cost) {
        window.delivered();
        freed(cost);
        delivering = true;
        try {
            to.content(frame);
        } catch (Throwable t) {
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
        while (!cancelled && !paused && error == before && window.mayDeliver()) {
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
        loan.nothingMoreComes();
        watchKept();
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
        loan.nothingMoreComes();
        watchKept();
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
        // Its rest can't come any more, whoever still comes for what is whole.
        dropPartial();
        failedByPeer(reason);
    }

    /** What has come whole, and still waits to be asked for, is lost: our node ends, or nobody is left to take it. */
    void abandon(Throwable reason) {
        if (!done()) {
            error = reason;
            countDemand();
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
        watchKept();
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
            window.freed(each.cost);
            each.message.release();
        }
        dropPartial();
        if (done()) {
            loan.end();
        } else {
            // The program still has some of it.
            loan.nothingMoreComes();
        }
    }

    private void dropPartial() {
        Partial half = partial;
        partial = null;
        if (half != null) {
            window.freed(half.whole());
            half.target.release();
        }
    }

    /**
     * The peer needs this much credit for one message. What exceeds the window is lent by the node's account of memory
     * first.
     */
    void want(long bytes) {
        if (bytes < 0) {
            throw new ProtocolMismatch("a message of " + bytes + " bytes was announced on channel " + channel.number());
        }
        if (over() || tooLarge(bytes)) {
            return;
        }
        if (bytes > window.maxBytes()) {
            channel.growWindow(bytes - window.maxBytes());
        }
        loan.want(bytes);
        channel.touched();
    }

    @Override
    public boolean holds() {
        return window.held() != 0 || !held.isEmpty();
    }

    @Override
    public boolean arriving() {
        return partial != null;
    }

    @Override
    public long joined() {
        return joined;
    }

    @Override
    public boolean heldUpByPeer(int progress) {
        Outbound answers = channel.outbound();
        boolean few = answers.handedOver() - answersTaken < Math.min(progress, answersKept);
        answersTaken = answers.handedOver();
        answersKept = answers.keptBytes();
        MessageSink to = sink;
        return few && to != null && to.isHeldUp() && !held.isEmpty();
    }

    @Override
    public void lent() {
        channel.touched();
    }

    @Override
    public void notLent(ErrorCode code, WeirException reason) {
        channel.fail(code, reason);
    }

    @Override
    public boolean over() {
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
        watchKept();
        if (loan.isWanted()) {
            loan.serve();
            if (over()) {
                return 0;
            }
        }
        long bytes = window.bytesToGrant();
        if (bytes != 0) {
            // A window that is less than it should be, and that is used, may be more the next time.
            channel.growWindow(window.maxBytes());
        }
        loan.granting();
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

        /** What it costs as soon as all of it is there. */
        long whole() {
            return target.capacity() + (long) control.length;
        }

        long cost() {
            return target.writerIndex() + (long) control.length;
        }
    }
}
