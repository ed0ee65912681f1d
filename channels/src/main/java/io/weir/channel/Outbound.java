package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import io.weir.core.ContentMemory;
import io.weir.core.ErrorCode;
import io.weir.core.FilePiece;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.InPlaceCodec;
import io.weir.core.LoopBuffers;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.flow.Credits;
import io.weir.flow.Fragmenter;
import io.weir.flow.Lane;
import io.weir.path.Flags;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * The sending half of a channel: takes messages, sends them as the peer's credit and the link's room allow, cuts long
 * ones. What it holds is bounded by its feeder, through {@link #room()}. Loop thread only.
 */
final class Outbound implements Outgoing, Backlog.Waiting {

    /** Its cost is kept because the payload belongs to the link once it is sent. */
    private record Queued(Message message, int flags, int number, long cost) {}

    private final Session session;
    private final Outbox outbox;
    private final Channel channel;
    private final Credits credits = new Credits(0, 0);
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private @Nullable Feeder feeder;
    private @Nullable Queued cutting;
    private @Nullable Fragmenter pieces;
    private boolean firstPiece;
    /** What is first is a piece of a file, and is being read into memory. */
    private boolean loading;

    /** Requests that wait here, and for whose answer nobody waits any more. */
    private final Set<Integer> abortsBehind = new HashSet<>(0);

    private long queuedBytes;
    /** Bytes of messages that had to wait here, and were handed to the link. */
    private long handedOver;

    /** Bytes of credit that were asked for with WANT and have not been covered since. */
    private long wanted;

    /** Somebody has something to send, and waits for credit. */
    private boolean stalled;

    /** Its messages come from a source that is asked for them, and count in the session's backlog. */
    private boolean fedBySource;

    /** As what they count there. */
    private long counted;

    /** What the first one takes beside that, a long message that waits for credit. */
    private long beyond;

    private boolean listed;
    private boolean endQueued;
    private boolean confirm;
    private boolean closed;
    /** The end is on the wire, and the peer was asked to say when its subscriber has had everything. */
    private boolean awaitsDelivery;

    private @Nullable Throwable failure;

    Outbound(Session session, Channel channel) {
        this.session = session;
        this.outbox = session.outbox();
        this.channel = channel;
    }

    void feeder(Feeder feeder) {
        this.feeder = feeder;
    }

    /** Whether nobody waits for anything of this channel. */
    boolean idle() {
        return feeder != null && feeder.idle() && isEmpty();
    }

    void fedBySource() {
        fedBySource = true;
    }

    boolean hasFeeder() {
        return feeder != null;
    }

    /** Whether END or ERROR has been sent, or nothing can be sent any more. */
    boolean closed() {
        return closed;
    }

    /** Whether it waits in the session's lanes. */
    boolean listed() {
        return listed;
    }

    @Override
    public boolean isOver() {
        return closed;
    }

    /** Whether this half has ended or is about to. */
    boolean ending() {
        return closed || endQueued;
    }

    /** What this half has failed with, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** How many more messages may be handed over now without exceeding the peer's credit; may be negative. */
    long room() {
        return credits.items() - queue.size();
    }

    Credits credits() {
        return credits;
    }

    int queued() {
        return queue.size();
    }

    long queuedBytes() {
        return queuedBytes;
    }

    /** Of everything that was taken and is not on the wire: what waits, and what is being cut. */
    long keptBytes() {
        return queuedBytes + (cutting == null ? 0 : cutting.cost);
    }

    /** Bytes of messages that had to wait here, and were handed to the link. */
    long handedOver() {
        return handedOver;
    }

    /** What waits here takes about as much memory. */
    long heldBytes() {
        return queuedBytes + queue.size() * (long) Backlog.MESSAGE;
    }

    /** If it is not credit that is missing, the feeder is called when there is room. */
    void awaitRoom() {
        if (!closed && isEmpty() && room() > 0) {
            session.backlog().await(this);
        }
    }

    @Override
    public void roomAgain() {
        if (feeder != null && !closed && isEmpty()) {
            feeder.room();
        }
    }

    /** Whether everything that was taken is on the wire. */
    boolean isEmpty() {
        return queue.isEmpty() && cutting == null;
    }

    boolean awaitsDelivery() {
        return awaitsDelivery;
    }

    /**
     * Takes the message over, sends it now or later.
     *
     * @throws MessageTooLarge if it is longer than messages may be; it has been released then
     */
    void send(Message message, int flags, int number) {
        if (!sendsAtOnce(message, flags, number)) {
            sendLater(message, flags, number);
        }
    }

    /**
     * Sends the message if it can go whole and now, and drops it if this half has ended; it stays the caller's
     * otherwise.
     *
     * @throws MessageTooLarge if it is longer than messages may be; it has been released then
     */
    boolean sendsAtOnce(Message message, int flags, int number) {
        if (closed || endQueued) {
            message.release();
            return true;
        }
        long cost = MessageCost.of(message);
        if (cost > session.maxMessage()) {
            String text = "a message of " + cost + " bytes exceeds weir.message.max=" + session.maxMessage()
                    + "; raise it on both sides, or send the content in pieces";
            message.release();
            throw new MessageTooLarge(text);
        }
        return maySendNow(message)
                && hasCredit(cost)
                && oneFrame(message, cost)
                && sendWhole(message, flags, number, cost);
    }

    /**
     * Sends the value if it is short, can go now, and the path takes it from where it is written; nothing has happened
     * otherwise. What the codec throws is thrown on.
     *
     * @param length of the value, as the codec has said
     */
    <T> boolean sendsAtOnce(T value, int length, InPlaceCodec<T> codec, int flags, int number) {
        // Where something waits already, or has to wait for credit, nothing is written in vain.
        if (length > LoopBuffers.LARGEST
                || !session.link().takesLent()
                || !outbox.clear()
                || !isEmpty()
                || !hasCredit(length)) {
            return false;
        }
        ContentMemory content = session.content();
        if (content.inUse()) {
            return false;
        }
        content.write(codec, value, length);
        // Only now, since the codec may have done anything.
        if (!mayLendNow(length)) {
            return false;
        }
        Frame frame = outbox.frame()
                .set(FrameKind.DATA, flags, channel.number(), number)
                .lend(content, length);
        if (!outbox.offer(frame)) {
            return false;
        }
        take(length);
        session.counted(length);
        return true;
    }

    private boolean maySendNow(Message message) {
        return isEmpty() && outbox.clear() && !hasToBeRead(message);
    }

    private boolean mayLendNow(int length) {
        return session.link().takesLent()
                && length <= session.link().maxFrame()
                && length <= session.maxMessage()
                && !ending()
                && isEmpty()
                && outbox.clear()
                && hasCredit(length);
    }

    /**
     * Takes over a message for which {@link #sendsAtOnce} has returned false, directly behind that: if it is neither
     * credit that is missing nor too long for one frame, the link is full, and the session goes on here when it has
     * room.
     */
    void sendLater(Message message, int flags, int number) {
        long cost = MessageCost.of(message);
        Queued queued = new Queued(message, flags, number, cost);
        if (maySendNow(message)) {
            if (!hasCredit(cost)) {
                starve(cost);
            } else if (!oneFrame(message, cost)) {
                beginCutting(queued);
                return;
            }
        }
        held(1, cost);
        queue.add(queued);
        recount();
        list();
        if (hasToBeRead(message)) {
            // It may wait for neither credit nor room, so that neither would have this drained.
            outbox.drainLater();
        }
    }

    /**
     * Informs the peer that nobody waits for the answer to this request: behind the request, as the peer must know
     * that first.
     */
    void abort(int request) {
        boolean waits = (cutting != null && cutting.number == request)
                || queue.stream().anyMatch(each -> each.number == request);
        if (waits) {
            abortsBehind.add(request);
        } else {
            channel.abort(request);
        }
    }

    private void sent(Queued message) {
        if (!abortsBehind.isEmpty() && abortsBehind.remove(message.number)) {
            channel.abort(message.number);
        }
    }

    /** Ends this half in good order, behind what is queued. */
    void end(boolean confirm) {
        if (closed || endQueued) {
            return;
        }
        endQueued = true;
        this.confirm = confirm;
        list();
        outbox.drain();
    }

    /** Our side closes the channel: what was taken is still sent, then this half ends. */
    void close() {
        if (feeder == null) {
            feeder = Closed.FEEDER;
        } else {
            feeder.closing();
        }
        end(false);
    }

    /** Ends this half with an error, behind what is queued. */
    void failBehindQueue(Throwable error) {
        if (!closed && failure == null) {
            failure = error;
            end(false);
        }
    }

    /** The peer has granted credit. */
    void granted(long items, long bytes) {
        credits.grant(items, bytes);
        if (!closed) {
            credited(items, bytes);
        }
        if (stalled && canGoOn()) {
            goesOn();
        }
        if (wanted != 0 && credits.bytes() >= wanted) {
            wanted = 0;
        }
        if (!queue.isEmpty()) {
            list();
            outbox.drain();
        }
        if (feeder != null && !closed) {
            feeder.room();
        }
    }

    /** The peer wants no more: drops what is queued and ends the half. */
    void cancelled() {
        if (closed) {
            return;
        }
        discard();
        endQueued = true;
        list();
        if (feeder != null) {
            feeder.cancelled();
        }
        outbox.drain();
    }

    void delivered() {
        if (awaitsDelivery) {
            awaitsDelivery = false;
            if (feeder != null) {
                feeder.delivered();
            }
            channel.forget();
        }
    }

    /** Nothing more is sent on this half, whatever is queued; the feeder gets the reason. */
    void fail(Throwable error) {
        if (closed && !awaitsDelivery) {
            return;
        }
        awaitsDelivery = false;
        failure = error;
        discardAll();
        if (feeder != null) {
            feeder.failed(error);
        }
        // It may have been only the delivery that was awaited.
        channel.forget();
    }

    /** Nothing more is sent on this half; what is queued is released. */
    void discardAll() {
        closeHalf();
        discard();
    }

    private void closeHalf() {
        if (!closed) {
            closed = true;
            credited(-credits.items(), -credits.bytes());
            goesOn();
            session.backlog().forget(this);
        }
    }

    /** What waits here has changed, or what it waits for. */
    private void recount() {
        if (!fedBySource) {
            return;
        }
        Queued head = stalled ? queue.peek() : null;
        long beside = head == null ? 0 : Math.max(0, head.cost - Backlog.STALLED);
        long more = heldBytes() - beside - counted;
        if (more != 0) {
            counted += more;
            session.backlog().add(more);
        }
        if (beside != beyond) {
            session.backlog().stalls(this, beyond, beside);
            beyond = beside;
        }
    }

    /** Counts what waits here. */
    private void held(int messages, long bytes) {
        queuedBytes += bytes;
        Counters counters = session.counters();
        counters.queuedMessages += messages;
        counters.queuedBytes += bytes;
    }

    /**
     * Counts credit that has come or is void. What messages use of it is counted with them, so that none pays for that.
     */
    private void credited(long items, long bytes) {
        Counters counters = session.counters();
        counters.creditItems += items;
        counters.creditBytes += bytes;
    }

    private void discard() {
        Queued half = cutting;
        cutting = null;
        pieces = null;
        loading = false;
        if (half != null) {
            half.message.release();
            if (firstPiece) {
                unsent(half);
            }
        }
        held(-queue.size(), -queuedBytes);
        for (Queued each; (each = queue.poll()) != null; ) {
            each.message.release();
            unsent(each);
        }
        abortsBehind.clear();
        recount();
        goesOn();
    }

    private void unsent(Queued dropped) {
        if (feeder != null) {
            feeder.unsent(dropped.number);
        }
    }

    @Override
    public void list() {
        if (listed || closed) {
            return;
        }
        listed = true;
        outbox.lanes().add(lane(), this);
    }

    @Override
    public void putBack() {
        if (!listed && !closed) {
            listed = true;
            outbox.lanes().putBack(lane(), this);
        }
    }

    private Lane lane() {
        return cutting != null || longHead() ? Lane.BULK : Lane.SMALL;
    }

    private boolean longHead() {
        Queued head = queue.peek();
        return head != null && !oneFrame(head.message, head.cost);
    }

    private boolean oneFrame(Message message, long cost) {
        return cost <= session.link().maxFrame()
                || (message.file() == null && session.link().takesInPlace(message.payload()));
    }

    @Override
    public boolean push() {
        listed = false;
        if (closed) {
            return true;
        }
        if (cutting != null) {
            return loads(cutting) || pushPiece();
        }
        Queued head = queue.peek();
        if (head == null) {
            return !endQueued || pushEnd();
        }
        if (!hasCredit(head.cost)) {
            // Listed again when it comes.
            starve(head.cost);
            return true;
        }
        if (loads(head)) {
            return true;
        }
        boolean whole = oneFrame(head.message, head.cost);
        if (whole && !sendWhole(head.message, head.flags, head.number, head.cost)) {
            return false;
        }
        queue.remove();
        held(-1, -head.cost);
        recount();
        if (whole) {
            handedOver += head.cost;
            sent(head);
            afterStep();
        } else {
            beginCutting(head);
        }
        return true;
    }

    private void afterStep() {
        if (cutting != null || !queue.isEmpty() || endQueued) {
            list();
        } else if (feeder != null) {
            feeder.room();
        }
    }

    /** Sends it as one frame, for which there is credit; false, with nothing changed, if the link has no room. */
    private boolean sendWhole(Message message, int flags, int number, long cost) {
        Frame frame = outbox.frame()
                .set(FrameKind.DATA, flags, channel.number(), number, message.payload())
                .control(message.control().encoded());
        FilePiece file = message.file();
        if (!outbox.offer(file == null ? frame : frame.region(file))) {
            return false;
        }
        take(cost);
        session.counted(cost);
        return true;
    }

    boolean hasCredit(long cost) {
        return credits.items() > 0 && credits.covers(cost);
    }

    private void take(long cost) {
        if (!credits.tryTake(cost)) {
            throw new IllegalStateException("credit vanished between look and take");
        }
    }

    /**
     * Whoever feeds this half has more to send, or may have: if all that is missing is credit, it waits for that from
     * now on.
     */
    void hasMore() {
        if (credits.items() == 0 && isEmpty()) {
            stall();
        }
    }

    private void stall() {
        if (!stalled && !closed) {
            stalled = true;
            session.counters().creditStalls++;
            session.counters().stalled.begin();
            recount();
        }
    }

    private boolean canGoOn() {
        Queued head = queue.peek();
        return head == null ? credits.items() > 0 : hasCredit(head.cost);
    }

    private void goesOn() {
        if (stalled) {
            stalled = false;
            session.counters().stalled.end();
            recount();
        }
    }

    private void starve(long cost) {
        stall();
        if (failure != null) {
            channel.cancelFailed();
        }
        if (credits.items() > 0 && wanted < cost) {
            wanted = cost;
            channel.want(cost);
        }
    }

    /**
     * Takes the credit, which there has to be, for a message that is too long for one frame, and begins to cut it.
     * Fails the channel if its control data leaves no room for content.
     */
    private void beginCutting(Queued message) {
        take(message.cost);
        credited(-1, -message.cost);
        if (longestPiece(message.message) < 1) {
            message.message.release();
            channel.fail(
                    ErrorCode.TOO_LARGE,
                    new MessageTooLarge("control data of "
                            + message.message.control().encoded().length
                            + " bytes, where a frame over " + session.link().transport() + " takes "
                            + session.link().maxFrame() + " with some content: shorten it, or make that longer"
                            + " (ring-size, for shm)"));
            return;
        }
        cutting = message;
        pieces = new Fragmenter(message.message.size(), longestPiece(message.message));
        firstPiece = true;
        list();
        outbox.drainLater();
    }

    private int longestPiece(Message message) {
        return session.link().maxFrame() - message.control().encoded().length;
    }

    private boolean pushPiece() {
        Queued whole = Objects.requireNonNull(cutting);
        Fragmenter plan = Objects.requireNonNull(pieces);
        // It may go on over another link than it has begun on.
        plan.limit(longestPiece(whole.message));
        Frame frame = outbox.frame();
        if (firstPiece) {
            frame.set(FrameKind.FIRST, whole.flags, channel.number(), whole.number)
                    .words(whole.message.size(), 0)
                    .control(whole.message.control().encoded());
        } else {
            frame.set(FrameKind.NEXT, 0, channel.number(), 0);
        }
        if (!offerPiece(frame, whole.message, plan)) {
            return false;
        }
        firstPiece = false;
        handedOver += plan.length();
        plan.next();
        if (!plan.hasNext()) {
            cutting = null;
            pieces = null;
            session.counted(whole.cost);
            // Taken when it began.
            credited(1, whole.cost);
            whole.message.release();
            sent(whole);
        }
        afterStep();
        return true;
    }

    private boolean offerPiece(Frame frame, Message whole, Fragmenter plan) {
        FilePiece file = whole.file();
        ByteBuf body = whole.payload();
        ReferenceCounted piece = file == null
                ? body.retainedSlice(body.readerIndex() + (int) plan.offset(), plan.length())
                : file.slice((int) plan.offset(), plan.length());
        boolean taken =
                outbox.offer(piece instanceof FilePiece region ? frame.region(region) : frame.body((ByteBuf) piece));
        if (!taken) {
            piece.release();
        }
        return taken;
    }

    /** Whether it is a piece of a file over a link that takes none. */
    private boolean hasToBeRead(Message message) {
        return message.file() != null && !session.link().takesRegions();
    }

    /** On a thread that may block. Every failure is handed on, or the channel would stand still. */
    private void read(FilePiece reading) {
        try {
            ByteBuf bytes = reading.read(session.allocator());
            channel.execute(() -> loaded(bytes));
        } catch (Throwable t) {
            channel.execute(() -> notLoaded(t));
        } finally {
            reading.release();
        }
    }

    /**
     * Has a piece of a file that the link does not take read into memory, on a thread that may block. Returns whether
     * this half has to wait for that, also if the link has changed meanwhile; it is listed again then.
     */
    private boolean loads(Queued first) {
        FilePiece file = first.message.file();
        if (!loading && file != null && hasToBeRead(first.message)) {
            loading = true;
            FilePiece reading = file.retain();
            var unused = Schedulers.boundedElastic().schedule(() -> read(reading));
        }
        return loading;
    }

    private void loaded(ByteBuf bytes) {
        if (!loading) {
            bytes.release();
            return;
        }
        loading = false;
        if (cutting != null) {
            cutting = inMemory(cutting, bytes);
        } else {
            queue.addFirst(inMemory(queue.remove(), bytes));
        }
        list();
        outbox.drain();
    }

    private static Queued inMemory(Queued file, ByteBuf bytes) {
        file.message.release();
        return new Queued(Message.of(file.message.control(), bytes), file.flags, file.number, file.cost);
    }

    private void notLoaded(Throwable error) {
        if (loading) {
            loading = false;
            channel.fail(error);
        }
    }

    private boolean pushEnd() {
        if (failure != null) {
            closeHalf();
            channel.tell(ErrorCode.FAILED, failure);
            return true;
        }
        Frame frame = outbox.frame().set(FrameKind.END, confirm ? Flags.CONFIRM : 0, channel.number(), 0);
        if (!outbox.offer(frame)) {
            return false;
        }
        closeHalf();
        awaitsDelivery = confirm;
        if (feeder != null) {
            feeder.endSent();
        }
        channel.outDone();
        return true;
    }
}
