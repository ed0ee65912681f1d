package io.weir.path;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * The one outcome of what was begun for one subscriber. Either the subscriber gets the value or {@code unwanted} does,
 * also when the two sides meet: {@link Mono#create} drops a value that comes while its subscriber is just cancelling.
 */
public final class Promise<T> implements Subscription {

    private static final Logger LOG = Logs.PORTS;

    private enum Stage {
        WAITING,
        REQUESTED,
        HAS_VALUE,
        OVER
    }

    private final CoreSubscriber<? super T> subscriber;
    private final Consumer<T> unwanted;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private @Nullable T value;
    private volatile boolean cancelled;
    private volatile @Nullable Runnable whenCancelled;

    private Promise(CoreSubscriber<? super T> subscriber, Consumer<T> unwanted) {
        this.subscriber = subscriber;
        this.unwanted = unwanted;
    }

    /**
     * Begins anew with each subscription. A value that comes too late is given to {@code unwanted}; an error then is
     * nobody's.
     */
    public static <T> Mono<T> mono(Consumer<Promise<T>> begin, Consumer<T> unwanted) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super T> subscriber) {
                Promise<T> promise = new Promise<>(subscriber, unwanted);
                subscriber.onSubscribe(promise);
                try {
                    begin.accept(promise);
                } catch (Throwable t) {
                    Exceptions.throwIfJvmFatal(t);
                    promise.error(t);
                }
            }
        };
    }

    /** What to do when the subscriber cancels before there is an outcome, or has done so. May be run twice. */
    public void onCancel(Runnable action) {
        whenCancelled = action;
        if (cancelled) {
            action.run();
        }
    }

    public void success(T outcome) {
        value = outcome;
        if (stage.compareAndSet(Stage.WAITING, Stage.HAS_VALUE)) {
            return;
        }
        if (!stage.compareAndSet(Stage.REQUESTED, Stage.OVER)) {
            unwanted.accept(outcome);
            return;
        }
        try {
            deliver(outcome);
        } catch (Throwable t) {
            // What Reactor calls fatal is handed on by it; whoever has found the outcome has no part in it.
            LOG.error("Who has waited for {} has failed with it", outcome, t);
            unwanted.accept(outcome);
        }
    }

    /** Too late for who has cancelled, or has a value already. */
    public void error(Throwable reason) {
        if (stage.compareAndSet(Stage.WAITING, Stage.OVER) || stage.compareAndSet(Stage.REQUESTED, Stage.OVER)) {
            try {
                subscriber.onError(reason);
            } catch (Throwable t) {
                LOG.error("Who has waited for something has failed with its failure, {}", reason.toString(), t);
            }
        }
    }

    @Override
    public void request(long n) {
        if (!Operators.validate(n) || stage.compareAndSet(Stage.WAITING, Stage.REQUESTED)) {
            return;
        }
        T ready = value;
        if (ready != null && stage.compareAndSet(Stage.HAS_VALUE, Stage.OVER)) {
            deliver(ready);
        }
    }

    private void deliver(T outcome) {
        subscriber.onNext(outcome);
        subscriber.onComplete();
    }

    @Override
    public void cancel() {
        Stage before = stage.getAndSet(Stage.OVER);
        T ready = value;
        if (before == Stage.HAS_VALUE && ready != null) {
            unwanted.accept(ready);
        } else if (before != Stage.OVER) {
            cancelled = true;
            Runnable action = whenCancelled;
            if (action != null) {
                action.run();
            }
        }
    }
}
