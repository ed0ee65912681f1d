package io.weir.service.remote;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * Threads for methods that may block: virtual ones where the JDK has them, or those of an executor. So many run at
 * once, of each peer no more than its {@linkplain FairPlaces share}, and none waits: who comes when all are busy is
 * refused. Any thread.
 */
final class Workers {

    private static final @Nullable MethodHandle VIRTUAL = virtual();

    private static final String NOT_SERVED = "what was called is no longer served";

    private final int most;
    private final Executor threads;
    /** Ends what is ours. */
    private final Runnable end;

    private final FairPlaces places;
    private volatile boolean closed;

    /** Threads of their own. */
    Workers(String name, int most) {
        this.most = most;
        this.places = new FairPlaces(most);
        if (VIRTUAL == null) {
            BlockingCallThreads own = new BlockingCallThreads("weir-call-" + name + '-');
            this.threads = own;
            this.end = own::shutdown;
        } else {
            ExecutorService own = virtualThreads(VIRTUAL);
            this.threads = own;
            this.end = own::shutdown;
        }
    }

    /** The threads of somebody else, who ends them. */
    Workers(Executor threads, int most) {
        this.most = most;
        this.places = new FairPlaces(most);
        this.threads = threads;
        this.end = () -> {};
    }

    private static ExecutorService virtualThreads(MethodHandle perTask) {
        try {
            return (ExecutorService) perTask.invokeExact();
        } catch (Throwable t) {
            throw new IllegalStateException("this JDK has virtual threads and makes none", t);
        }
    }

    private static @Nullable MethodHandle virtual() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return MethodHandles.publicLookup()
                    .findStatic(
                            Executors.class,
                            "newVirtualThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /**
     * Runs this when its outcome is asked for; cancelling interrupts it. Fails with a {@link Refusal} if it can't be
     * begun, and with whatever it throws.
     *
     * @param peer for whom it runs
     * @param identity which that peer may have in common with others
     * @param unwanted gets what is returned behind the cancel
     */
    Mono<Object> call(Object peer, Object identity, Callable<@Nullable Object> work, Consumer<Object> unwanted) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Object> actual) {
                actual.onSubscribe(new Work(peer, identity, work, unwanted, actual));
            }
        };
    }

    private void begin(Work work) {
        if (closed) {
            work.fail(new Refusal(CallLayout.REFUSED, NOT_SERVED));
            return;
        }
        if (!places.enter(work.peer, work.identity)) {
            work.fail(new Refusal(
                    CallLayout.BUSY,
                    "all " + most + " blocking calls that may run at once are running, or this peer's share of them"));
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    work.task.run();
                } finally {
                    work.leave();
                }
            });
        } catch (RejectedExecutionException e) {
            work.leave();
            // Ours refuse when they are closed, also behind the look above; another executor may be full for a moment.
            work.fail(
                    closed
                            ? new Refusal(CallLayout.REFUSED, NOT_SERVED)
                            : new Refusal(
                                    CallLayout.BUSY,
                                    "the executor of blocking calls takes no more: " + e.getMessage()));
        } catch (Throwable t) {
            // For instance no more threads.
            work.leave();
            work.fail(t);
        }
    }

    /** One call, with one outcome: {@link Mono#create} would drop a value that comes behind the cancel. */
    private final class Work implements Subscription {

        private static final int IDLE = 0;
        private static final int BEGUN = 1;
        private static final int OVER = 2;

        private final AtomicInteger stage = new AtomicInteger(IDLE);
        private final FutureTask<Void> task = new FutureTask<>(this::run, null);
        private final Object peer;
        private final Object identity;
        private final Callable<@Nullable Object> work;
        private final Consumer<Object> unwanted;
        private final CoreSubscriber<? super Object> actual;

        Work(
                Object peer,
                Object identity,
                Callable<@Nullable Object> work,
                Consumer<Object> unwanted,
                CoreSubscriber<? super Object> actual) {
            this.peer = peer;
            this.identity = identity;
            this.work = work;
            this.unwanted = unwanted;
            this.actual = actual;
        }

        @Override
        public void request(long n) {
            if (Operators.validate(n) && stage.compareAndSet(IDLE, BEGUN)) {
                begin(this);
            }
        }

        private void leave() {
            places.leave(peer, identity);
        }

        private void run() {
            Object value;
            try {
                value = work.call();
            } catch (Throwable t) {
                // Also what is fatal elsewhere: the caller waits for an answer.
                fail(t);
                return;
            }
            if (stage.compareAndSet(BEGUN, OVER)) {
                if (value != null) {
                    actual.onNext(value);
                }
                actual.onComplete();
            } else if (value != null) {
                unwanted.accept(value);
            }
        }

        private void fail(Throwable error) {
            if (stage.compareAndSet(BEGUN, OVER)) {
                actual.onError(error);
            }
        }

        @Override
        public void cancel() {
            if (stage.getAndSet(OVER) != OVER) {
                task.cancel(true);
            }
        }
    }

    /** What runs goes on; threads of their own end with it. */
    void close() {
        closed = true;
        end.run();
    }
}
