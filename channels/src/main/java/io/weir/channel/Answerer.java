package io.weir.channel;

import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import io.weir.core.ErrorCode;
import io.weir.core.Message;
import io.weir.core.PathRequired;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import java.util.ArrayList;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Serves the requests of one channel: hands each to the handler and sends what it yields. Asks the peer for as many
 * requests as the window has items, and for one more with each whose answer is on the wire: so a peer that does not take
 * its answers can't make them pile up. Loop thread only.
 */
final class Answerer implements MessageSink, Outbound.Feeder {

    private static final RareLog REFUSALS = new RareLog(Ports.LOG, System::nanoTime);

    private final Channel channel;
    private final BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler;
    private final @Nullable CallInterceptor interceptor;
    private final IntObjectHashMap<Answer> running = new IntObjectHashMap<>();
    /** What was begun for messages that await no answer. */
    private final Set<Answer> told = new HashSet<>();

    private final Consumer<Answerer> onEnd;
    private boolean endWhenIdle;
    private boolean closed;
    /** Requests that were answered, and for which the peer was not asked for others yet. */
    private int answered;

    Answerer(
            Channel channel,
            BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler,
            @Nullable CallInterceptor interceptor,
            Consumer<Answerer> onEnd) {
        this.channel = channel;
        this.handler = handler;
        this.interceptor = interceptor;
        this.onEnd = onEnd;
    }

    void start() {
        channel.whileOpen(() -> onEnd.accept(this));
        channel.outbound().feeder(this);
        channel.aborts(this::abort);
        channel.inbound().sink(this);
        channel.inbound().request(channel.session().windowItems());
    }

    /** The port is no longer served: what was begun is still answered, then the channel ends. Any thread. */
    void close() {
        channel.execute(() -> {
            closed = true;
            endIfClosed();
        });
    }

    private void endIfClosed() {
        if (closed && channel.open() && idle() && channel.outbound().isEmpty()) {
            channel.fail(ErrorCode.NO_SUCH_PORT, new Refused(Ports.noLongerServed(channel.port())));
        }
    }

    @Override
    public boolean idle() {
        return running.isEmpty() && told.isEmpty();
    }

    @Override
    public void message(Message message, int flags, int number) {
        boolean awaited = (flags & Flags.REQUEST) != 0;
        if (awaited && running.containsKey(number)) {
            message.release();
            throw new ProtocolMismatch("two requests with the number " + number + " on " + channel);
        }
        if (closed) {
            message.release();
            if (awaited) {
                send(
                        Message.of(Ports.noLongerServed(channel.port())),
                        Flags.ANSWER | Flags.FAILED | Flags.EMPTY,
                        number);
            } else {
                Ports.LOG.warn(
                        "A message to port '{}' from {} was dropped: the port is no longer served",
                        channel.port(),
                        channel.session().peerId());
            }
            return;
        }
        if (channel.session().ports().leaving() && !Ports.goesOn(channel.port())) {
            message.release();
            turnAway(awaited, number);
            return;
        }
        Answer begun = null;
        try {
            Publisher<Message> answer = interceptor == null ? handle(message) : watched(interceptor, message, awaited);
            if (answer instanceof Callable<?> ready) {
                Object value = ready.call();
                reply(awaited, number, (Message) value);
            } else {
                begun = new Answer(awaited, number, answer instanceof Mono);
                if (awaited) {
                    running.put(number, begun);
                } else {
                    told.add(begun);
                }
                answer.subscribe(begun);
            }
        } catch (Throwable t) {
            // Also what Reactor calls fatal, such as a class that is missing: whoever has asked would wait for ever.
            if (begun != null && !(awaited ? running.remove(number) == begun : told.remove(begun))) {
                // It has been answered, and then breaks the rules of its publisher.
                return;
            }
            refuse(awaited, number, t);
        }
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
                    ? Calls.watch(one, call)
                    : Calls.watch(Flux.from(answer), call, true);
        } catch (Throwable t) {
            call.ended(CallOutcome.ERROR, t);
            throw t;
        }
    }

    /** The node leaves: nothing is begun any more. */
    private void turnAway(boolean awaited, int number) {
        if (awaited) {
            send(Message.of(Ports.LEAVING), Flags.ANSWER | Flags.FAILED | Flags.EMPTY | Flags.ELSEWHERE, number);
        } else {
            REFUSALS.warn("A message to port '" + channel.port() + "' from "
                    + channel.session().peerId() + " was dropped: " + Ports.LEAVING);
        }
        more();
    }

    private void reply(boolean awaited, int number, @Nullable Message value) {
        if (awaited) {
            if (value == null) {
                send(Message.of(Unpooled.EMPTY_BUFFER), Flags.ANSWER | Flags.EMPTY, number);
            } else {
                send(value, Flags.ANSWER, number);
            }
        } else if (value != null) {
            value.release();
        }
        more();
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
            // Whoever is let in nowhere may bring this about as often as it likes.
            REFUSALS.warn("A message to port '" + channel.port() + "' from "
                    + channel.session().peerId() + " was refused: " + Errors.text(error));
        } else {
            Ports.LOG.warn(
                    "A message to port '{}' from {} failed here",
                    channel.port(),
                    channel.session().peerId(),
                    error);
        }
        more();
    }

    private void send(Message message, int flags, int number) {
        try {
            channel.outbound().send(message, flags, number);
        } catch (RuntimeException e) {
            channel.outbound().send(Message.of(Errors.text(e)), Flags.ANSWER | Flags.FAILED, number);
        }
    }

    private void abort(int number) {
        Answer answer = running.remove(number);
        if (answer != null) {
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
        List<Answer> all = new ArrayList<>(running.values());
        all.addAll(told);
        running.clear();
        told.clear();
        all.forEach(this::cancel);
    }

    private void cancel(Answer answer) {
        try {
            answer.cancel();
        } catch (Throwable t) {
            Ports.LOG.warn("What answers at port '{}' has failed when it was cancelled", channel.port(), t);
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
        if (endWhenIdle && idle()) {
            channel.outbound().end(false);
        }
        endIfClosed();
    }

    @Override
    public void failed(Throwable error) {
        onEnd.accept(this);
        abortAll();
    }

    @Override
    public void cancelled() {
        onEnd.accept(this);
        abortAll();
        channel.cancelInbound();
    }

    @Override
    public void room() {
        if (answered > 0 && channel.outbound().isEmpty()) {
            int owed = answered;
            answered = 0;
            channel.inbound().request(owed);
        }
        endIfClosed();
    }

    /** An answer that was not there at once. */
    private final class Answer implements CoreSubscriber<Message> {

        final boolean awaited;
        final int number;
        /** It yields no more than one: if it is cancelled behind that one, this was not sent. */
        private final boolean single;

        private volatile @Nullable Subscription upstream;
        private boolean done;
        private volatile boolean cancelled;

        Answer(boolean awaited, int number, boolean single) {
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
                    finish(() -> reply(awaited, number, value));
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
