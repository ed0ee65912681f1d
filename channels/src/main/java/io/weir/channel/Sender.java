package io.weir.channel;

import io.weir.core.InPlaceCodec;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * Feeds the sending half of a channel from a publisher: asks it for small batches, never for more than the peer's
 * credit covers. What the publisher emits on the loop goes straight out; what it emits elsewhere crosses through a
 * queue no longer than a batch. Requests and all signals to the waiting {@code Mono} come on the loop.
 */
final class Sender implements CoreSubscriber<Message>, Subscription, Feeder, Encoding.Target {

    /**
     * Messages that are asked for at once at most. Large enough to make the request's cost vanish, small enough that
     * what a source was asked for before the peer stopped stays little.
     */
    private static final int BATCH = 64;

    /** Messages taken from one source in one turn before others get theirs. */
    private static final int TURN = 256;

    private static final Subscription CANCELLED = Operators.cancelledSubscription();

    private final Channel channel;
    private final Outbound outbound;
    private final CoreSubscriber<? super Void> actual;
    private final boolean confirm;
    /** Bytes that may be under way between the source and the link: a quarter of the window, or one message. */
    private final long quarter;

    /** Messages that came from foreign threads, in order; null: none has. Most sources emit on the loop. */
    private volatile @Nullable Queue<Message> crossing;

    private final AtomicInteger crossings = new AtomicInteger();
    /** Set before the last crossing; read behind it. */
    private volatile boolean sourceDone;

    private volatile @Nullable Throwable sourceError;

    private final AtomicBoolean cancelled = new AtomicBoolean();

    // Loop thread only.
    private @Nullable Subscription upstream;
    private int asked;
    /** Grows while messages turn out to be small: the first ones may be of any size. */
    private int batch = 1;

    private int longestBatch;

    /** How large the latest message was; before the first one, how large those of its port are. */
    private int size;

    private boolean hasEmitted;

    private int turn;
    /** Nothing more is taken from the source. */
    private boolean stopped;

    private boolean done;

    Sender(Channel channel, CoreSubscriber<? super Void> actual, boolean confirm) {
        this.channel = channel;
        this.quarter = channel.session().windowBytes() / 4;
        this.outbound = channel.outbound();
        this.size = channel.session().host().expected(channel.port());
        this.actual = actual;
        this.confirm = confirm;
    }

    void start(Publisher<Message> source) {
        if (outbound.hasFeeder()) {
            done = true;
            tell(new IllegalStateException(channel + " has sent already or was closed; open another channel"));
            return;
        }
        if (cancelled.get()) {
            done = true;
            channel.fail(new CancellationException("the sender has cancelled"));
            return;
        }
        Throwable ended = outbound.failure();
        if (ended != null) {
            done = true;
            tell(ended);
            return;
        }
        outbound.feeder(this);
        outbound.fedBySource();
        if (outbound.ending()) {
            finish(null);
            return;
        }
        try {
            source.subscribe(this);
        } catch (Throwable t) {
            onError(t);
        }
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        if (channel.inLoop()) {
            subscribed(subscription);
        } else {
            channel.execute(() -> subscribed(subscription));
        }
    }

    private void subscribed(Subscription subscription) {
        if (Operators.validate(upstream, subscription)) {
            upstream = subscription;
            if (done) {
                subscription.cancel();
            } else {
                room();
            }
        }
    }

    @Override
    public void onNext(Message message) {
        Objects.requireNonNull(message, "message");
        if (channel.inLoop()) {
            takeCrossed();
            take(message);
        } else if (crossing().offer(message)) {
            wake();
        } else {
            message.release();
            sourceError = new IllegalStateException(
                    "the source of " + channel + " emits more than it was asked for (Reactive Streams 1.1)");
            wake();
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>It does so only on the loop, if the value can go now and the path takes it from where it is written.
     */
    @Override
    public <T> boolean takes(T value, InPlaceCodec<T> codec) {
        if (!channel.inLoop() || hasCrossed() || done || stopped || asked <= 0) {
            return false;
        }
        int length = codec.length(value);
        if (!outbound.sendsAtOnce(value, length, codec, 0, 0)) {
            return false;
        }
        asked--;
        adapt(length);
        turn++;
        ask();
        return true;
    }

    /** By who emits, one at a time. */
    private Queue<Message> crossing() {
        Queue<Message> its = crossing;
        if (its == null) {
            its = Queues.<Message>get(2 * BATCH).get();
            crossing = its;
        }
        return its;
    }

    @Override
    public void onError(Throwable error) {
        Objects.requireNonNull(error, "error");
        sourceError = error;
        last();
    }

    @Override
    public void onComplete() {
        sourceDone = true;
        last();
    }

    private void last() {
        if (channel.inLoop()) {
            takeCrossed();
            ended();
        } else {
            wake();
        }
    }

    private void wake() {
        if (crossings.getAndIncrement() == 0) {
            channel.execute(this::drainCrossing);
        }
    }

    /**
     * Only the task that {@link #wake} left counts down: taking a message may lead back here, and what it took counts
     * once.
     */
    private void drainCrossing() {
        int seen = crossings.get();
        while (seen != 0) {
            takeCrossed();
            ended();
            seen = crossings.addAndGet(-seen);
        }
    }

    private void takeCrossed() {
        Queue<Message> its = crossing;
        if (its != null) {
            for (Message next; (next = its.poll()) != null; ) {
                take(next);
            }
        }
    }

    private boolean hasCrossed() {
        Queue<Message> its = crossing;
        return its != null && !its.isEmpty();
    }

    private void ended() {
        Throwable error = sourceError;
        if (done || stopped || !(sourceDone || error != null) || hasCrossed()) {
            return;
        }
        if (error == null) {
            upstream = CANCELLED;
            outbound.end(confirm);
        } else {
            done = true;
            cancelUpstream();
            channel.failBehindQueue(error);
            tell(error);
        }
    }

    private void take(Message message) {
        asked--;
        if (done || stopped) {
            message.release();
            return;
        }
        if (asked < 0) {
            message.release();
            onError(new IllegalStateException(
                    "the source of " + channel + " emits more than it was asked for (Reactive Streams 1.1)"));
            return;
        }
        adapt(message.size());
        try {
            if (!outbound.sendsAtOnce(message, 0, 0)) {
                long cost = MessageCost.of(message);
                if (!channel.session().backlog().mayWait(cost, !outbound.hasCredit(cost))) {
                    message.release();
                    onError(new Overloaded(
                            "there is no memory for a message of " + cost + " bytes that has to wait for "
                                    + channel.session().peerId() + ": what waits for it and others has used it up"
                                    + " (weir.memory.max)"));
                    return;
                }
                outbound.sendLater(message, 0, 0);
            }
        } catch (RuntimeException e) {
            onError(e);
            return;
        }
        turn++;
        ask();
    }

    /** Large messages are asked for one by one: what is asked for already stays below a quarter of the window. */
    private void adapt(int latest) {
        if (latest == size && batch == longestBatch) {
            return;
        }
        if (!hasEmitted || latest > size) {
            hasEmitted = true;
            channel.session().host().emitted(channel.port(), latest);
        }
        size = Math.max(1, latest);
        longestBatch = (int) Math.min(BATCH, Math.max(1, quarter / size));
        batch = Math.min(longestBatch, 2 * batch);
    }

    /**
     * How many messages may be asked for, as far as what waits for the link leaves room. Beyond the peer's credit only
     * one, whose size nobody knows yet.
     */
    private long allowance() {
        Backlog backlog = channel.session().backlog();
        long bytes = Math.min(quarter, outbound.credits().bytes()) - outbound.heldBytes();
        int each = size + Backlog.MESSAGE;
        long fit = Math.min(bytes, backlog.share(batch * (long) each)) / each;
        if (fit <= 0 && outbound.isEmpty()) {
            fit = backlog.admits(size) ? 1 : 0;
        }
        return Math.min(outbound.room(), fit);
    }

    @Override
    public void room() {
        turn = 0;
        ask();
    }

    private void ask() {
        Subscription source = upstream;
        if (source == null || done || stopped) {
            return;
        }
        if (turn >= TURN) {
            turn = Integer.MIN_VALUE;
            channel.execute(this::room);
            return;
        }
        if (turn < 0) {
            return;
        }
        if (asked <= batch / 2) {
            long more = Math.min(batch, allowance()) - asked;
            if (more > 0) {
                asked += (int) more;
                try {
                    source.request(more);
                } catch (Throwable t) {
                    // What Reactor calls fatal is handed on by it, and nothing would come of this half any more.
                    onError(t);
                }
            } else if (asked == 0) {
                outbound.hasMore();
                outbound.awaitRoom();
            }
        }
    }

    @Override
    public void cancel() {
        if (cancelled.compareAndSet(false, true)) {
            channel.execute(this::cancelledByUser);
        }
    }

    private void cancelledByUser() {
        if (done || !outbound.hasFeeder()) {
            return;
        }
        done = true;
        cancelUpstream();
        channel.fail(new CancellationException("the sender has cancelled"));
    }

    private void cancelUpstream() {
        Subscription source = upstream;
        upstream = CANCELLED;
        if (source != null) {
            source.cancel();
        }
    }

    @Override
    public void request(long n) {
        // A Mono<Void> emits no item, so demand has no meaning.
    }

    @Override
    public void endSent() {
        if (!confirm) {
            finish(null);
        }
    }

    @Override
    public void delivered() {
        finish(null);
    }

    @Override
    public void cancelled() {
        finish(null);
    }

    @Override
    public void closing() {
        if (!done && !stopped) {
            takeCrossed();
            ended();
            stopped = true;
            cancelUpstream();
            outbound.end(confirm);
        }
    }

    @Override
    public void failed(Throwable error) {
        finish(error);
    }

    private void finish(@Nullable Throwable error) {
        if (done) {
            return;
        }
        done = true;
        cancelUpstream();
        if (error == null) {
            actual.onComplete();
        } else {
            tell(error);
        }
    }

    /** Who cancels when the receiving half fails, as an exchange does, has heard of the error there. */
    private void tell(Throwable error) {
        if (!cancelled.get()) {
            actual.onError(error);
        }
    }
}
