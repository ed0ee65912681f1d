package io.weir.service;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Threads for methods that may block: virtual ones where the JDK has them. So many run at once, and none waits: who comes when all are
 * busy is refused. Any thread.
 */
final class Workers {

    private static final @Nullable MethodHandle VIRTUAL = virtual();

    private final int most;
    private final ExecutorService threads;
    private final AtomicInteger busy = new AtomicInteger();

    Workers(String name, int most) {
        this.most = most;
        this.threads = VIRTUAL == null ? platformThreads(name) : virtualThreads(VIRTUAL);
    }

    /** More than may run at once. */
    static final class Busy extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Busy(int most) {
            super("all " + most + " blocking calls that may run at once are running", null, false, false);
        }
    }

    /** Bounded by who asks for them. */
    private static ExecutorService platformThreads(String name) {
        AtomicInteger number = new AtomicInteger();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "weir-call-" + name + '-' + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
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

    /** Runs this when subscribed to; cancelling interrupts it. Fails with {@link Busy}, and with whatever it throws. */
    Mono<Object> call(Callable<@Nullable Object> work) {
        return Mono.create(sink -> begin(work, sink));
    }

    private void begin(Callable<@Nullable Object> work, MonoSink<Object> sink) {
        if (busy.incrementAndGet() > most) {
            busy.decrementAndGet();
            sink.error(new Busy(most));
            return;
        }
        FutureTask<Void> task = new FutureTask<>(() -> run(work, sink), null);
        sink.onCancel(() -> task.cancel(true));
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } finally {
                    busy.decrementAndGet();
                }
            });
        } catch (RuntimeException e) {
            // Closed meanwhile.
            busy.decrementAndGet();
            sink.error(new Busy(most));
        }
    }

    private static void run(Callable<@Nullable Object> work, MonoSink<Object> sink) {
        try {
            sink.success(work.call());
        } catch (Throwable t) {
            sink.error(t);
        }
    }

    /** What runs goes on; its threads end with it. */
    void close() {
        threads.shutdown();
    }
}
