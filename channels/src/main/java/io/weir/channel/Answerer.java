package io.weir.channel;

import io.netty.buffer.Unpooled;
import io.weir.core.ErrorCode;
import io.weir.core.Frame;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.PathRequired;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Errors;
import io.weir.path.Flags;
import io.weir.path.Logs;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Serves the requests of one channel: hands each to the handler and sends what it yields. Asks the peer for as many
 * requests as the window has items, and for others as the answers go out. While the requests that are being answered,
 * or the answers that the peer does not take, have more bytes than a window, no further request is handed to the
 * handler; an answer for which there is no memory then is replaced by an error. So neither can pile up. Loop thread
 * only.
 */
final class Answerer implements MessageSink, Feeder {

    private static final RareLog REFUSALS = new RareLog(Logs.PORTS, System::nanoTime);
    private static final RareLog FAILURES = new RareLog(Logs.PORTS, System::nanoTime);

    private final Channel channel;
    private final Ports ports;
    private final BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler;
    private final @Nullable CallInterceptor interceptor;
    /** Who reads requests where they lie; null: nobody, as interceptors see messages only. */
    private final @Nullable ValueHandler<?, ?> values;

    private final ByNumber<Answer> running = new ByNumber<>();
    /** What was begun for messages that await no answer. */
    private final Set<Answer> told = new HashSet<>();

    /** Requests that may be under way where there is memory for no more. */
    private static final int LEAST_REQUESTS = 16;

    /** Memory is taken in portions of up to so much, so that a request costs two additions. */
    private static final long PORTION = 256 << 10;

    /** No peer has more answers than items, and what an item takes has room for one of so few bytes. */
    private static final int SMALL = MemoryAccount.ITEM / 4;

    private static final String NO_MEMORY =
            "the answers that wait to be taken have used up the memory that there is for them: take answers, or "
                    + "ask less at once";

    private final Consumer<Answerer> onEnd;
    /** Bytes of the requests that are being answered. */
    private long requestBytes;
    /** What the account has for these. */
    private long requestsTaken;
    /** What the account has for answers that wait. */
    private long answersTaken;
    /** Bytes of the latest answer for which there was no memory, and which was let wait nevertheless. */
    private long beyond;

    /** A request is with its handler, which may close this. */
    private boolean handling;

    private boolean endWhenIdle;
    private boolean closed;
    /** Requests that were answered, and for which the peer was not asked for others yet. */
    private int answered;
    /** The peer is asked for so many at once while no request is being answered: asking for each one is felt. */
    private int block = 1;

    Answerer(
            Channel channel,
            Ports ports,
            BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler,
            @Nullable CallInterceptor interceptor,
            Consumer<Answerer> onEnd) {
        this.channel = channel;
        this.ports = ports;
        this.handler = handler;
        this.interceptor = interceptor;
        this.values = interceptor == null && handler instanceof ValueHandler<?, ?> its && its.isInPlace() ? its : null;
        this.onEnd = onEnd;
    }

    void start() {
        channel.whileOpen(() -> onEnd.accept(this));
        channel.outbound().feeder(this);
        channel.aborts(this::abort);
        channel.inbound().sink(this);
        long items = channel.session().windowItems();
        long taken = channel.takeSome(
                MemoryUse.REQUESTS, Math.min(items, LEAST_REQUESTS) * MemoryAccount.ITEM, items * MemoryAccount.ITEM);
        if (taken == 0) {
            channel.turnAway(
                    ErrorCode.OVERLOADED,
                    new Overloaded("there is no memory for requests to port '" + channel.port()
                            + "': what peers may have is used up (weir.memory.max)"));
        } else {
            // What the peer may send at first is a part of the window, and not to be granted once more behind it.
            channel.inbound().window().prefetch(0);
            long requests = taken / MemoryAccount.ITEM;
            block = (int) Math.max(1, requests / 8);
            channel.inbound().request(requests);
        }
    }

    /** The port is no longer served: what was begun is still answered, then the channel ends. Any thread. */
    void close() {
        channel.execute(() -> {
            closed = true;
            endIfClosed();
        });
    }

    private void endIfClosed() {
        if (closed
                && channel.open()
                && !handling
                && idle()
                && channel.outbound().isEmpty()) {
            channel.fail(ErrorCode.NO_SUCH_PORT, new Refused(Ports.noLongerServed(channel.port())));
        }
    }

    @Override
    public boolean idle() {
        return running.isEmpty() && told.isEmpty();
    }

    @Override
    public boolean isInPlace() {
        return values != null;
    }

    @Override
    public boolean takesContent() {
        return values != null;
    }

    @Override
    public void content(Frame frame) {
        request(null, frame, frame.flags(), frame.aux(), frame.bodyLength());
    }

    @Override
    public void message(Message message, int flags, int number) {
        request(message, null, flags, number, MessageCost.of(message));
    }

    private static void release(@Nullable Message message) {
        if (message != null) {
            message.release();
        }
    }

    /** @param content the request, which lies in this frame, if there is no message */
    private void request(@Nullable Message message, @Nullable Frame content, int flags, int number, long length) {
        boolean awaited = (flags & Flags.REQUEST) != 0;
        if (awaited && running.has(number)) {
            release(message);
            throw new ProtocolMismatch("two requests with the number " + number + " on " + channel);
        }
        if (closed) {
            release(message);
            if (awaited) {
                send(
                        Message.of(Ports.noLongerServed(channel.port())),
                        Flags.ANSWER | Flags.FAILED | Flags.EMPTY,
                        number);
            } else {
                REFUSALS.warn("A message to port '" + channel.port() + "' from "
                        + channel.session().peerId() + " was dropped: the port is no longer served");
            }
            return;
        }
        if (ports.leaving() && !PortNames.endsWhatHasBegun(channel.port())) {
            release(message);
            turnAway(awaited, number, Ports.LEAVING);
            return;
        }
        long cost = length;
        if (!takes(cost)) {
            release(message);
            turnAway(awaited, number, "there is no memory for more requests that are answered at once");
            return;
        }
        Answer begun = null;
        handling = true;
        try {
            Publisher<?> answer =
                    message == null ? valued().handle(Objects.requireNonNull(content)) : handled(message, awaited);
            if (answer instanceof Callable<?> ready) {
                Object value = ready.call();
                handling = false;
                requestBytes -= cost;
                cost = 0;
                if (message == null) {
                    replyValue(awaited, number, value);
                } else {
                    reply(awaited, number, (Message) value);
                }
            } else {
                Publisher<Message> messages = message == null ? valued().messages(answer) : ofMessages(answer);
                begun = new Answer(awaited, number, messages instanceof Mono, cost);
                cost = 0;
                if (awaited) {
                    running.put(number, begun);
                } else {
                    told.add(begun);
                }
                handling = false;
                // This one may take for ever, and what was answered before must not wait for it.
                askForOthers(1);
                messages.subscribe(begun);
            }
        } catch (Throwable t) {
            // Also what Reactor calls fatal, such as a class that is missing: the caller would wait for ever.
            handling = false;
            if (begun != null && !(awaited ? running.remove(number) == begun : told.remove(begun))) {
                // It has been answered, and then breaks the rules of its publisher.
                return;
            }
            requestBytes -= begun == null ? cost : begun.cost;
            refuse(awaited, number, Exceptions.unwrap(t));
        }
        pauseIfFull();
    }

    /** Whether a request of this length may be handed to the handler; it counts then. */
    private boolean takes(long cost) {
        long all = requestBytes + cost;
        if (all > requestsTaken) {
            // What was lent for it counts as that of a request from now on. A single one is let in: its memory was
            // promised.
            channel.inbound().loan().settle();
            long more = takePortion(MemoryUse.REQUESTS, requestsTaken, all - requestsTaken);
            if (more == 0 && requestBytes == 0) {
                more = all - requestsTaken;
                channel.take(MemoryUse.REQUESTS, more);
            }
            requestsTaken += more;
            if (all > requestsTaken) {
                return false;
            }
        }
        requestBytes = all;
        return true;
    }

    private void pauseIfFull() {
        long most = channel.session().windowBytes();
        if (requestBytes > most || channel.outbound().keptBytes() > most) {
            channel.inbound().pause(true);
        }
    }

    @Override
    public boolean isHeldUp() {
        return channel.outbound().keptBytes() > channel.session().windowBytes() / 2;
    }

    private void goOnIfNotFull() {
        if (channel.inbound().isPaused()) {
            long most = channel.session().windowBytes() / 2;
            if (requestBytes <= most && channel.outbound().keptBytes() <= most) {
                channel.inbound().pause(false);
            }
        }
        // A long request is over: what it took is missing elsewhere, be it for the values of the next short ones.
        long unused = requestsTaken - requestBytes - PORTION;
        if (unused > PORTION) {
            channel.give(MemoryUse.REQUESTS, unused);
            requestsTaken -= unused;
        }
    }

    @SuppressWarnings("unchecked") // Who was given a message yields messages.
    private static Publisher<Message> ofMessages(Publisher<?> answer) {
        return (Publisher<Message>) answer;
    }

    private ValueHandler<?, ?> valued() {
        return Objects.requireNonNull(values);
    }

    private Publisher<Message> handled(Message message, boolean awaited) throws Exception {
        return interceptor == null ? handle(message) : watched(interceptor, message, awaited);
    }

    private Publisher<Message> handle(Message message) {
        return Objects.requireNonNull(
                handler.apply(channel.peer(), message),
                () -> "the handler of port '" + channel.port() + "' yields null");
    }

    private Publisher<Message> watched(CallInterceptor watchedBy, Message message, boolean awaited) throws Exception {
        CallDescription call =
                new CallDescription(awaited ? CallKind.ASK : CallKind.TELL, channel.peer(), channel.port(), null);
        IncomingCall watched = watchedBy.called(call, message.control());
        return watched == null ? handle(message) : watched(watched, message);
    }

    private Publisher<Message> watched(IncomingCall call, Message message) throws Exception {
        try {
            Publisher<Message> answer = Watching.opened(call, () -> handle(message));
            if (answer instanceof Callable<?> ready) {
                Message value = (Message) ready.call();
                call.ended(CallOutcome.SUCCESS, null);
                return Mono.justOrEmpty(value);
            }
            return answer instanceof Mono<Message> one
                    ? Watching.over(one, call)
                    : Watching.over(Flux.from(answer), call, true);
        } catch (Throwable t) {
            call.ended(CallOutcome.ERROR, t);
            throw t;
        }
    }

    /** This is not begun here; another node may do it. */
    private void turnAway(boolean awaited, int number, String reason) {
        if (awaited) {
            send(Message.of(reason), Flags.ANSWER | Flags.FAILED | Flags.EMPTY | Flags.ELSEWHERE, number);
        } else {
            REFUSALS.warn("A message to port '" + channel.port() + "' from "
                    + channel.session().peerId() + " was dropped: " + reason);
        }
        more();
    }

    private void reply(boolean awaited, int number, @Nullable Message value) {
        if (value != null) {
            var unused = replies(awaited, number, value);
            return;
        }
        if (awaited) {
            send(Message.of(Unpooled.EMPTY_BUFFER), Flags.ANSWER | Flags.EMPTY, number);
        }
        more();
    }

    private void replyValue(boolean awaited, int number, @Nullable Object value) {
        if (value == null || !awaited) {
            reply(awaited, number, null);
        } else if (valued().sendsAtOnce(value, channel.outbound(), Flags.ANSWER, number)) {
            more();
        } else {
            reply(true, number, valued().message(value));
        }
    }

    /** Whether the value was sent or will be; it is released otherwise. */
    private boolean replies(boolean awaited, int number, Message value) {
        boolean sent = awaited && sends(value, Flags.ANSWER, number);
        if (!awaited) {
            value.release();
        }
        more();
        return sent;
    }

    private void more() {
        answered++;
        room();
    }

    private void refuse(boolean awaited, int number, Throwable error) {
        boolean refused = error instanceof Refused || error instanceof PathRequired;
        if (awaited) {
            send(Message.of(Errors.text(error)), Flags.ANSWER | Flags.FAILED | (refused ? Flags.EMPTY : 0), number);
        } else if (refused) {
            // A peer that may use no port can bring this about as often as it likes.
            REFUSALS.warn("A message to port '" + channel.port() + "' from "
                    + channel.session().peerId() + " was refused: " + Errors.text(error));
        } else {
            FAILURES.warn("A message to port '" + channel.port() + "' from "
                    + channel.session().peerId() + " failed here: " + Errors.text(error));
            // With what the peer may have written.
            Logs.PORTS.debug("A message to port '{}' failed here", channel.port(), error);
        }
        more();
    }

    private void send(Message message, int flags, int number) {
        var unused = sends(message, flags, number);
    }

    /** Whether it is this that was sent, and not why it can't be; it is released then. */
    private boolean sends(Message message, int flags, int number) {
        Outbound outbound = channel.outbound();
        try {
            if (outbound.sendsAtOnce(message, flags, number)) {
                return true;
            }
            if (mayWait(MessageCost.of(message))) {
                outbound.sendLater(message, flags, number);
                return true;
            }
        } catch (RuntimeException e) {
            outbound.send(Message.of(Errors.text(e)), Flags.ANSWER | Flags.FAILED, number);
            return false;
        }
        message.release();
        outbound.send(Message.of(NO_MEMORY), Flags.ANSWER | Flags.FAILED, number);
        return false;
    }

    /** Whether an answer of this length may wait: behind others, for credit, or until all of its frames are sent. */
    private boolean mayWait(long cost) {
        if (cost <= SMALL) {
            return true;
        }
        long all = channel.outbound().keptBytes() - (isBeyond() ? beyond : 0) + cost;
        if (all > answersTaken) {
            answersTaken += takePortion(MemoryUse.ANSWERS, answersTaken, all - answersTaken);
        }
        if (all > answersTaken && requestsTaken > requestBytes) {
            // The request is answered, and what it took is there for its answer.
            channel.give(MemoryUse.REQUESTS, requestsTaken - requestBytes);
            requestsTaken = requestBytes;
            answersTaken += takePortion(MemoryUse.ANSWERS, answersTaken, all - answersTaken);
        }
        if (all <= answersTaken) {
            return true;
        }
        if (isBeyond() || !channel.session().mayGoBeyond(this::isBeyond)) {
            return false;
        }
        beyond = cost;
        return true;
    }

    /** Whether an answer for which there was no memory still waits here, and there is none for it yet. */
    boolean isBeyond() {
        Outbound outbound = channel.outbound();
        long waiting = outbound.keptBytes();
        return beyond != 0 && waiting >= beyond && waiting > answersTaken && !outbound.closed();
    }

    /** More than these, or just these, or 0. A channel that has little takes little: there may be many of them. */
    private long takePortion(MemoryUse use, long had, long bytes) {
        long portion = Math.max(Math.min(had, PORTION), bytes);
        if (channel.tryTake(use, portion)) {
            return portion;
        }
        return channel.tryTake(use, bytes) ? bytes : 0;
    }

    private void abort(int number) {
        Answer answer = running.remove(number);
        if (answer != null) {
            requestBytes -= answer.cost;
            cancel(answer);
            // Each request has one answer, so that who has cancelled knows when none can come any more.
            send(Message.of(Unpooled.EMPTY_BUFFER), Flags.ANSWER | Flags.EMPTY, number);
            more();
            if (endWhenIdle && idle()) {
                channel.outbound().end(false);
            }
            endIfClosed();
        }
    }

    private void abortAll() {
        List<Answer> all = running.copy();
        all.addAll(told);
        running.clear();
        told.clear();
        all.forEach(this::cancel);
    }

    private void cancel(Answer answer) {
        try {
            answer.cancel();
        } catch (Throwable t) {
            FAILURES.warn("What answers at port '" + channel.port() + "' has failed when it was cancelled: "
                    + Errors.text(t));
            Logs.PORTS.debug("What answers at port '{}' has failed when it was cancelled", channel.port(), t);
        }
    }

    @Override
    public void ended() {
        onEnd.accept(this);
        // What was begun is finished, and the answers that are still due are sent; then this half ends as well.
        if (idle()) {
            channel.outbound().end(false);
        } else {
            endWhenIdle = true;
        }
    }

    private void finished(Answer answer) {
        if (answer.awaited ? running.remove(answer.number) == null : !told.remove(answer)) {
            return;
        }
        requestBytes -= answer.cost;
        pauseIfFull();
        goOnIfNotFull();
        if (endWhenIdle && idle()) {
            channel.outbound().end(false);
        }
        endIfClosed();
    }

    @Override
    public void failed(Throwable error) {
        onEnd.accept(this);
        abortAll();
        // Requests may wait for others, with the end of the peer's half behind them: no answer could be sent.
        channel.inbound().abandon(error);
    }

    @Override
    public void cancelled() {
        onEnd.accept(this);
        abortAll();
        channel.cancelInbound();
    }

    @Override
    public void room() {
        if (channel.outbound().isEmpty()) {
            beyond = 0;
            if (answersTaken != 0) {
                channel.give(MemoryUse.ANSWERS, answersTaken);
                answersTaken = 0;
            }
        }
        goOnIfNotFull();
        askForOthers(idle() ? block : 1);
        endIfClosed();
    }

    /** Asks the peer for as many requests as were answered, if that is this many at least and no answer waits. */
    private void askForOthers(int least) {
        int owed = answered;
        if (owed >= least && channel.outbound().isEmpty()) {
            answered = 0;
            channel.inbound().request(owed);
        }
    }

    /** An answer that was not there at once. */
    private final class Answer implements CoreSubscriber<Message> {

        final boolean awaited;
        final int number;
        /** It yields no more than one: if it is cancelled behind that one, this was not sent. */
        private final boolean single;
        /** Bytes of the request. */
        long cost;

        private volatile @Nullable Subscription upstream;
        private boolean done;
        private volatile boolean cancelled;

        Answer(boolean awaited, int number, boolean single, long cost) {
            this.cost = cost;
            this.awaited = awaited;
            this.number = number;
            this.single = single;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            if (cancelled) {
                subscription.cancel();
            } else {
                subscription.request(Long.MAX_VALUE);
            }
        }

        @Override
        public void onNext(Message value) {
            if (done || cancelled) {
                value.release();
                return;
            }
            done = true;
            if (!single) {
                stop();
            }
            channel.execute(() -> {
                if (cancelled) {
                    value.release();
                } else {
                    finish(() -> {
                        if (!replies(awaited, number, value)) {
                            // By this the source knows that nobody gets its value.
                            stop();
                        }
                    });
                }
            });
        }

        @Override
        public void onError(Throwable error) {
            if (!done) {
                done = true;
                channel.execute(() -> finish(() -> refuse(awaited, number, error)));
            }
        }

        @Override
        public void onComplete() {
            if (!done) {
                done = true;
                channel.execute(() -> finish(() -> reply(awaited, number, null)));
            }
        }

        private void finish(Runnable reply) {
            if (!cancelled) {
                // Its answer is counted now.
                requestBytes -= cost;
                cost = 0;
                reply.run();
                finished(this);
            }
        }

        void cancel() {
            cancelled = true;
            stop();
        }

        private void stop() {
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
        }
    }
}
