package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Codec;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Errors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A two-way stream of messages between two nodes. Each direction is a half of its own: it has its own demand, and ends
 * on its own. A channel ends when both halves have ended; an error, or the end of the peer, ends both.
 *
 * <p><b>Threads.</b> Any thread may use a channel. Messages are delivered, and synchronous sources emit, on the loop of
 * the peer, which must not be blocked: slow work belongs behind {@code publishOn}.
 *
 * <p><b>Demand.</b> The peer's source is asked for what the subscriber of {@link #receive()} has requested, and for
 * {@code weir.window.initial} messages beyond: these are held here, within {@code weir.window.bytes}, also before
 * anybody subscribes. So a subscriber that asks one by one need not wait for the network each time, and two channels
 * that feed each other go round.
 */
public final class Channel {

    private final Session session;
    private final Outbox outbox;
    private final int number;
    private final String port;
    private final Outbound outbound;
    private final Inbound inbound;
    private final Controls controls;
    private final Receiver receiver;
    /** Messages for which memory was taken when it was opened. */
    private final int firstItems;

    /** Called once with whether the peer has accepted; null when it need not be asked. */
    private @Nullable Opening opening;

    private IntConsumer onAbort = request -> {};
    /** The handler that serves this channel. */
    private @Nullable Disposable working;

    /** Who waits for the end of our half to be on the wire. */
    private final List<MonoSink<Void>> closing = new ArrayList<>(0);

    private volatile boolean lent;

    /** What was taken from the node's account of memory for it, by its use. */
    private final Map<MemoryUse, Long> taken = new EnumMap<>(MemoryUse.class);
    /** How much of that is beyond the least. */
    private final Map<MemoryUse, Long> extra = new EnumMap<>(MemoryUse.class);

    /** Its place in the session's list of those that were touched in this turn; -1 if it is not in there. */
    private int touchedAt = -1;

    private boolean cancelledFailed;
    private boolean outOpen = true;
    private boolean inOpen = true;

    /** Who waits for the peer to accept. */
    interface Opening {
        void accepted();

        void refused(Throwable reason);
    }

    /** Nobody waits any more. */
    private static final Opening NOBODY = new Opening() {
        @Override
        public void accepted() {
            // The peer hears that the channel has failed.
        }

        @Override
        public void refused(Throwable reason) {
            // Was said.
        }
    };

    /**
     * @param least what it needs of the account at least
     * @param promised what was taken from the account for its window
     */
    Channel(Session session, int number, String port, Window window, long least, long promised) {
        this.session = session;
        this.outbox = session.outbox();
        this.controls = new Controls();
        this.number = number;
        this.port = port;
        this.outbound = new Outbound(session, this);
        this.inbound = new Inbound(session, this, window);
        this.receiver = new Receiver(this);
        this.firstItems = (int) window.outstanding();
        this.taken.put(MemoryUse.WINDOWS, promised);
        this.extra.put(MemoryUse.WINDOWS, promised - least);
    }

    /** The port that this channel was opened to. */
    public String port() {
        return port;
    }

    /** The peer at the other end. */
    public Peer peer() {
        return session.peer();
    }

    /**
     * Memory for payloads that suits the path to this peer best: over shared memory, what lies in it is not copied at
     * all. Ordinary memory works as well, and is what this gives when its own is exhausted.
     */
    public ByteBufAllocator allocator() {
        return session.allocator();
    }

    /**
     * Sends what the source emits, as the peer's subscriber asks for it, then ends this half.
     *
     * <p>The source is subscribed to when the returned {@code Mono} is, and asked for small batches on the peer's loop.
     * Messages are released by the channel. Completes when the last message and the end are on the wire, or when the
     * peer has cancelled. Fails with the source's error, which the peer sees as {@link io.weir.core.RemoteFailure}, or
     * with what ended the channel. Cancelling it informs the peer that the sender has cancelled.
     *
     * <p>A channel sends once: a second subscription fails with {@link IllegalStateException}.
     */
    public Mono<Void> send(Publisher<Message> source) {
        return new SendMono(this, source, false);
    }

    /** As {@link #send(Publisher)}, but completes when the peer's subscriber has had every message and the end. */
    public Mono<Void> sendDelivered(Publisher<Message> source) {
        return new SendMono(this, source, true);
    }

    /**
     * As {@link #send(Publisher)}, for values. An exception of the codec counts as a failure of the source, as in
     * {@link Flux#map}.
     *
     * @param codec an {@link io.weir.core.InPlaceCodec} needs neither a buffer nor a message for a short value, where
     *     the path to the peer allows it
     */
    public <T> Mono<Void> send(Publisher<? extends T> source, Codec<T> codec) {
        return send(Encoding.messages(source, codec, this::allocator));
    }

    /**
     * What the peer sends, within the subscriber's demand, on the peer's loop. Each message belongs to the subscriber,
     * who releases it. Completes when the peer has ended its half; fails with what the peer's source failed with, or
     * with what ended the channel. Cancelling ends this half: the peer's source is cancelled.
     *
     * <p>One subscriber only; a second one is refused with {@link IllegalStateException}.
     */
    public Flux<Message> receive() {
        return receiver;
    }

    /**
     * As {@link #receive()}, but the peer may send this many messages beyond the demand, instead of
     * {@code weir.window.initial}. With 0 the peer's source is asked for exactly what is requested, once what the peer
     * was allowed to send at first is used up.
     */
    public Flux<Message> receive(int prefetch) {
        if (prefetch < 0) {
            throw new IllegalArgumentException("a prefetch of " + prefetch + " messages");
        }
        return receiver.doFirst(() -> execute(() -> {
            inbound.window().prefetch(prefetch);
            touched();
        }));
    }

    /**
     * As {@link #receive(int)}, for a subscriber that keeps the content of messages beyond their delivery, as a socket
     * does until its program reads it. What was delivered counts against the window, and so as memory that is kept for
     * the peer, until it was {@link #consumed}; so does the channel itself. The subscriber keeps {@link #firstItems}
     * messages at most.
     */
    public Flux<Message> receiveKept(int prefetch) {
        return receive(prefetch).doFirst(() -> execute(inbound::keep));
    }

    /** So many bytes of the content of messages of {@link #receiveKept} are no longer kept. Any thread. */
    public void consumed(long bytes) {
        inbound.consumed(bytes);
    }

    /**
     * How many messages may lie here before anybody asks for them: {@code weir.window.initial}, or fewer where memory
     * is short.
     */
    public int firstItems() {
        return firstItems;
    }

    /**
     * What the peer sends, decoded and released. Values of more than 64 KiB are decoded on another thread, one after
     * the other, and emitted on the loop like all the others.
     *
     * @param codec an {@link io.weir.core.InPlaceCodec} needs neither a buffer nor a message for a short value, where
     *     the path to the peer allows it
     */
    public <T> Flux<T> receive(Codec<T> codec) {
        return receive(codec, null);
    }

    /** @param first takes the first message over as it is, on the loop; null: that is decoded like all others */
    <T> Flux<T> receive(Codec<T> codec, @Nullable Consumer<Message> first) {
        return Decoding.values(receive(), inbound, session.longValues(), codec, first);
    }

    /**
     * Ends both halves in good order: what was taken for sending is still sent, then the source is cancelled and its
     * {@link #send} completes; what comes in is no longer wanted. Completes when the end is on the wire, also when the
     * channel has ended already. Takes effect when subscribed to.
     */
    public Mono<Void> close() {
        return Mono.create(sink -> execute(() -> close(sink)));
    }

    private void close(MonoSink<Void> sink) {
        cancelInbound();
        if (!outOpen || session.endedWith() != null) {
            sink.success();
        } else {
            closing.add(sink);
            outbound.close();
        }
    }

    /**
     * Lets threads that wait for this channel do the loop's work for it: the signals of its subscriber, and the
     * requests to its source, may come on such a thread from now on, one at a time as always. They must be short, and
     * use nothing of this node but this channel. For what makes blocking calls of channels, such as sockets.
     */
    public Turns turns() {
        lent = true;
        return new Turns(session);
    }

    /** Port, peer and number. */
    @Override
    public String toString() {
        return "Channel[" + port + " of " + session.peerId() + ", " + Integer.toUnsignedString(number) + ']';
    }

    // Everything below belongs to the loop.

    int number() {
        return number;
    }

    ChannelStats stats(boolean openedHere) {
        boolean sending = !outbound.ending();
        return new ChannelStats(
                Integer.toUnsignedLong(number),
                port,
                openedHere,
                inbound.demand(),
                sending ? outbound.credits().items() : 0,
                sending ? outbound.credits().bytes() : 0,
                outbound.queued(),
                outbound.queuedBytes(),
                inbound.queued(),
                inbound.queuedBytes(),
                sending,
                !inbound.over());
    }

    boolean isLent() {
        return lent;
    }

    Session session() {
        return session;
    }

    Outbound outbound() {
        return outbound;
    }

    Inbound inbound() {
        return inbound;
    }

    /** Whether somebody has subscribed to what comes in, though perhaps not on the loop yet. */
    boolean hasReceiver() {
        return receiver.isTaken();
    }

    boolean inLoop() {
        return session.loop().inLoop();
    }

    void execute(Runnable task) {
        session.execute(task);
    }

    /**
     * Whether nobody waits for anything of it. What carries sessions through a gateway waits for ever: they are asked
     * themselves.
     */
    boolean idle() {
        return outbound.idle() || (carriesSessions() && outbound.isEmpty());
    }

    private boolean carriesSessions() {
        return port().equals(TunnelRequest.GATEWAY_PORT) || port().equals(TunnelRequest.TUNNEL_PORT);
    }

    /** Whether neither half has failed and the session lives. */
    boolean open() {
        return outOpen && outbound.failure() == null && session.endedWith() == null;
    }

    /** Disposes this work when the channel fails or its session ends. */
    void whileOpen(Disposable work) {
        if (outbound.failure() == null && session.endedWith() == null) {
            working = work;
        } else {
            work.dispose();
        }
    }

    private void stopWork() {
        Disposable work = working;
        working = null;
        if (work != null) {
            work.dispose();
        }
    }

    /** A handler has failed: the peer gets the error, unless it is only that the channel is over. */
    void failUnlessOver(Throwable error) {
        if (outbound.failure() == null) {
            fail(error);
        }
    }

    /** Ends both halves in good order; a half that is being sent goes on. */
    void end() {
        cancelInbound();
        if (!outbound.hasFeeder()) {
            outbound.close();
        }
    }

    void opening(Opening waiter, int flags) {
        opening = waiter;
        controls.openFlags = flags;
        controls.open = true;
        controls.list();
    }

    void accept() {
        controls.accept = true;
        controls.list();
    }

    void accepted(long items, long bytes) {
        Opening waiter = opening;
        if (waiter == null) {
            throw new ProtocolMismatch(
                    "ACCEPT for channel " + Integer.toUnsignedString(number) + ", which does not await it");
        }
        // Credit that can't be ends the session, and the waiter with it.
        outbound.granted(items, bytes);
        opening = null;
        waiter.accepted();
    }

    /** The window has news: look for credit to grant when the turn ends. */
    void touched() {
        if (touchedAt < 0) {
            touchedAt = outbox.touched(controls);
        }
    }

    /** Makes the window larger by so much, if it is less than it should be, as far as there is memory for it. */
    void growWindow(long bytes) {
        Window window = inbound.window();
        long more = Math.min(bytes, session.windowBytes() - window.maxBytes());
        if (more > 0) {
            window.grow(takeSome(MemoryUse.WINDOWS, 0, more));
        }
    }

    /** As {@link MemoryAccount.Share#takeSome}; given back at the latest when the channel is forgotten. */
    long takeSome(MemoryUse use, long least, long most) {
        long bytes = session.memory().takeSome(use, least, most);
        taken.merge(use, bytes, Long::sum);
        extra.merge(use, Math.max(0, bytes - least), Long::sum);
        return bytes;
    }

    /** As {@link MemoryAccount.Share#tryTake}; given back at the latest when the channel is forgotten. */
    boolean tryTake(MemoryUse use, long bytes) {
        boolean fits = session.memory().tryTake(use, bytes);
        taken.merge(use, fits ? bytes : 0, Long::sum);
        return fits;
    }

    /** As {@link MemoryAccount.Share#take}; given back at the latest when the channel is forgotten. */
    void take(MemoryUse use, long bytes) {
        session.memory().take(use, bytes);
        taken.merge(use, bytes, Long::sum);
    }

    /** Gives back what was taken for this channel; does nothing behind its end. */
    void give(MemoryUse use, long bytes) {
        long given = Math.min(bytes, taken.getOrDefault(use, 0L));
        taken.merge(use, -given, Long::sum);
        session.memory().give(use, given);
    }

    /** Nothing is held for it any more. */
    void released() {
        taken.forEach((use, bytes) -> session.memory().give(use, bytes, extra.getOrDefault(use, 0L)));
        taken.clear();
        extra.clear();
    }

    /** Grants credit and sends it before anything that the caller sends next. */
    void grantNow() {
        grantMore();
        outbox.drainNow();
    }

    private void grantMore() {
        controls.items += inbound.itemsToGrant();
        controls.bytes += inbound.bytesToGrant();
        if ((controls.items | controls.bytes) != 0) {
            controls.list();
        }
    }

    void want(long bytes) {
        controls.want = bytes;
        controls.list();
    }

    void confirm() {
        controls.delivered = true;
        controls.list();
    }

    void abort(int request) {
        controls.aborts.add(request);
        controls.list();
    }

    /** Called when the peer has lost interest in one of its requests. */
    void aborts(IntConsumer handler) {
        onAbort = handler;
    }

    void aborted(int request) {
        onAbort.accept(request);
    }

    void cancelInbound() {
        if (!inbound.cancelledHere()) {
            boolean tell = !inbound.ended();
            inbound.cancel();
            if (tell) {
                controls.cancel = true;
                controls.list();
            }
        }
    }

    /**
     * We have failed, and the peer takes nothing of what it shall have before it hears so: it may be waiting for us to
     * take what it sends, as an echo does, which we never shall.
     */
    void cancelFailed() {
        if (!cancelledFailed && !inbound.ended() && !inbound.cancelledHere()) {
            cancelledFailed = true;
            controls.cancel = true;
            controls.list();
        }
    }

    /** Our side fails: both halves end here, and the peer gets the error. */
    void fail(Throwable error) {
        fail(ErrorCode.FAILED, error);
    }

    void fail(ErrorCode code, Throwable error) {
        if ((code == ErrorCode.TOO_LARGE || code == ErrorCode.OVERLOADED) && open()) {
            session.host().breach(this + " is ended here: " + Errors.text(error));
        }
        tell(code, error);
        outbound.fail(error);
        inbound.fail(error);
        givenUp(error);
    }

    /** Whoever waits for the peer to accept waits no longer; the peer may do so nevertheless, before it hears of it. */
    private void givenUp(Throwable reason) {
        Opening waiter = opening;
        if (waiter != null) {
            opening = NOBODY;
            waiter.refused(reason);
        }
    }

    /** What feeds our half has failed: both halves end; the peer gets the error behind what is queued for it. */
    void failBehindQueue(Throwable error) {
        outbound.failBehindQueue(error);
        inbound.fail(error);
    }

    /** Sends the peer an error, also when only its own half is left to be ended. */
    void tell(ErrorCode code, Throwable error) {
        if (!controls.errorSaid && (outOpen || inOpen)) {
            controls.errorSaid = true;
            controls.error = code;
            controls.errorText = Errors.text(error);
            controls.list();
        }
    }

    /** The handler does not want this channel, which was accepted in this turn: the peer learns only that. */
    void turnAway(ErrorCode code, Throwable error) {
        controls.accept = false;
        fail(code, error);
    }

    /** Refuses a channel that the peer wants to open. */
    void refuse(ErrorCode code, String text) {
        if (controls.errorSaid) {
            return;
        }
        controls.errorSaid = true;
        controls.error = code;
        controls.errorText = text;
        controls.list();
        outbound.discardAll();
        inbound.cancel();
    }

    /** The peer has failed: both halves end here. */
    void failedByPeer(WeirException error) {
        Opening waiter = opening;
        opening = null;
        boolean answer = outOpen && controls.error == null && !outbound.closed();
        outbound.fail(error);
        inbound.failedByPeer(error);
        stopWork();
        if (waiter != null) {
            // In place of ACCEPT: the peer has begun nothing.
            waiter.refused(error.unsent());
        }
        if (answer) {
            controls.end = true;
            controls.list();
        } else if (controls.error == null) {
            outDone();
        }
        inDone();
    }

    /** The session is over. */
    void lost(WeirException reason) {
        Opening waiter = opening;
        opening = null;
        outbound.fail(reason);
        inbound.lost(reason);
        stopWork();
        if (waiter != null) {
            waiter.refused(controls.open ? reason.unsent() : reason);
        }
        closed();
    }

    /** END or ERROR is on the wire. */
    void outDone() {
        outOpen = false;
        closed();
        forget();
    }

    private void closed() {
        closing.forEach(MonoSink::success);
        closing.clear();
    }

    /** END or ERROR has come. */
    void inDone() {
        inOpen = false;
        forget();
    }

    /**
     * Gives up the number, once nothing is to be sent, awaited or released any more. After the session only what has
     * come whole is left, for whoever asks for it.
     */
    void forget() {
        if (session.endedWith() != null) {
            if (inbound.done()) {
                session.forget(this, controls);
            }
            return;
        }
        if (!outOpen && !inOpen && !controls.listed() && !outbound.awaitsDelivery() && inbound.done()) {
            neverAccepted();
            session.forget(this, controls);
        }
    }

    /** The peer has ended both halves without a word of whether it accepts the channel. */
    private void neverAccepted() {
        Opening waiter = opening;
        opening = null;
        if (waiter != null) {
            waiter.refused(new Refused(
                    session.peerId() + " has ended a channel to port '" + port + "' before it has accepted it"));
        }
    }

    /** The control frames of this channel: flags and sums, so that no queue is needed. */
    private final class Controls extends ControlFrames implements Outbox.Granting {

        boolean open;
        int openFlags;
        boolean accept;
        /** OPEN or ACCEPT is on the wire, which say what was granted until then. */
        boolean begun;
        /** An ERROR is on the wire, or is to be. */
        boolean errorSaid;

        boolean cancel;
        boolean delivered;
        boolean end;
        long want;
        long items;
        long bytes;
        final ArrayDeque<Integer> aborts = new ArrayDeque<>(0);

        @Nullable
        ErrorCode error;

        String errorText = "";

        Controls() {
            super(outbox);
        }

        @Override
        boolean send() {
            boolean done = pushOpen() && pushCredit() && pushSignals() && pushError();
            if (done) {
                forget();
            }
            return done;
        }

        @Override
        public void grant() {
            touchedAt = -1;
            grantMore();
        }

        @Override
        public int touchedAt() {
            return touchedAt;
        }

        @Override
        public void touchedAt(int place) {
            touchedAt = place;
        }

        @Override
        public boolean leftInLanes() {
            return outbound.listed();
        }

        private boolean pushOpen() {
            if (open) {
                ByteBuf name = Unpooled.wrappedBuffer(port.getBytes(StandardCharsets.UTF_8));
                Frame frame = frame(FrameKind.OPEN, openFlags, 0)
                        .words(inbound.window().outstanding(), inbound.window().granted())
                        .body(name);
                if (!outbox.offer(frame)) {
                    return false;
                }
                open = false;
                begun = true;
                items = 0;
                bytes = 0;
            }
            if (accept) {
                Frame frame = frame(FrameKind.ACCEPT, 0, 0)
                        .words(inbound.window().outstanding(), inbound.window().granted());
                if (!outbox.offer(frame)) {
                    return false;
                }
                accept = false;
                begun = true;
                items = 0;
                bytes = 0;
            }
            return true;
        }

        private boolean pushCredit() {
            // What is granted before ACCEPT, to a peer that asks for it, is in that.
            if (begun && (items | bytes) != 0) {
                if (!outbox.offer(frame(FrameKind.CREDIT, 0, 0).words(items, bytes))) {
                    return false;
                }
                items = 0;
                bytes = 0;
            }
            if (want != 0) {
                if (!outbox.offer(frame(FrameKind.WANT, 0, 0).words(want, 0))) {
                    return false;
                }
                want = 0;
            }
            return true;
        }

        private boolean pushSignals() {
            for (Integer request; (request = aborts.peek()) != null; aborts.remove()) {
                if (!outbox.offer(frame(FrameKind.ABORT, 0, request))) {
                    return false;
                }
            }
            if (cancel) {
                if (!outbox.offer(frame(FrameKind.CANCEL, 0, 0))) {
                    return false;
                }
                cancel = false;
            }
            if (delivered) {
                if (!outbox.offer(frame(FrameKind.DELIVERED, 0, 0))) {
                    return false;
                }
                delivered = false;
            }
            return true;
        }

        private boolean pushError() {
            ErrorCode code = error;
            if (code != null) {
                ByteBuf text = Unpooled.wrappedBuffer(errorText.getBytes(StandardCharsets.UTF_8));
                if (!outbox.offer(frame(FrameKind.ERROR, 0, code.code()).body(text))) {
                    return false;
                }
                error = null;
                end = false;
                outDone();
            } else if (end) {
                if (!outbox.offer(frame(FrameKind.END, 0, 0))) {
                    return false;
                }
                end = false;
                outDone();
            }
            return true;
        }

        private Frame frame(FrameKind kind, int flags, int aux) {
            return outbox.frame().set(kind, flags, number, aux);
        }
    }
}
