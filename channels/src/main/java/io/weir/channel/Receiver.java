package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The receiving half of a channel as a {@code Flux} for one subscriber. Demand and cancellation may come from any
 * thread and cross to the loop; signals are given on the loop.
 */
final class Receiver extends Flux<Message> implements Subscription, MessageSink {

    private final Channel channel;
    private final AtomicBoolean taken = new AtomicBoolean();
    /** Demand from other threads that the loop has not taken over yet. */
    private final AtomicLong requested = new AtomicLong();

    private volatile boolean cancelled;
    private @Nullable CoreSubscriber<? super Message> actual;
    private boolean attached;
    /** The subscriber, if it takes content as well. */
    private @Nullable Decoding<?> decoding;

    Receiver(Channel channel) {
        this.channel = channel;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Message> subscriber) {
        if (!taken.compareAndSet(false, true)) {
            Operators.error(subscriber, new IllegalStateException(channel + " has a receiver already: share one Flux"));
            return;
        }
        actual = subscriber;
        decoding = subscriber instanceof Decoding<?> its && its.isInPlace() ? its : null;
        subscriber.onSubscribe(this);
        channel.execute(this::attach);
    }

    /** Whether there is a subscriber; any thread may ask. */
    boolean isTaken() {
        return taken.get();
    }

    private void attach() {
        attached = true;
        if (cancelled) {
            channel.cancelInbound();
        } else {
            takeRequested();
            channel.inbound().sink(this);
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            channel.execute(() -> refuse(n));
        } else if (channel.inLoop() && attached) {
            takeRequested();
            channel.inbound().request(n);
        } else if (requested.getAndAccumulate(n, Operators::addCap) == 0) {
            channel.execute(this::takeRequested);
        }
    }

    private void takeRequested() {
        if (attached && requested.getPlain() != 0) {
            channel.inbound().request(requested.getAndSet(0));
        }
    }

    private void refuse(long n) {
        CoreSubscriber<? super Message> to = actual;
        if (!cancelled && to != null) {
            cancelled = true;
            actual = null;
            channel.cancelInbound();
            to.onError(
                    new IllegalArgumentException("request(" + n + "): demand must be positive (Reactive Streams 3.9)"));
        }
    }

    @Override
    public void cancel() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        if (channel.inLoop()) {
            letGo();
        } else {
            channel.execute(this::letGo);
        }
    }

    private void letGo() {
        actual = null;
        channel.cancelInbound();
    }

    @Override
    public void message(Message message, int flags, int number) {
        CoreSubscriber<? super Message> to = actual;
        if (to == null || cancelled) {
            channel.consumed(message.payload().readableBytes());
            message.release();
        } else {
            to.onNext(message);
        }
    }

    @Override
    public boolean isInPlace() {
        return decoding != null;
    }

    @Override
    public boolean takesContent() {
        Decoding<?> to = decoding;
        return to != null && to.takesContent();
    }

    @Override
    public void content(Frame frame) {
        Decoding<?> to = decoding;
        if (to != null && actual != null && !cancelled) {
            to.content(frame);
        }
    }

    @Override
    public void ended() {
        CoreSubscriber<? super Message> to = actual;
        if (to != null && !cancelled) {
            actual = null;
            to.onComplete();
        }
    }

    @Override
    public void failed(Throwable error) {
        CoreSubscriber<? super Message> to = actual;
        if (to != null && !cancelled) {
            actual = null;
            to.onError(error);
        }
    }
}
