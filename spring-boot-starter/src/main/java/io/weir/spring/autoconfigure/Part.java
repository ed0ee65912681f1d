package io.weir.spring.autoconfigure;

import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

/**
 * A part of the application that stops without holding a thread. It is not started again: a node that was closed stays
 * so.
 */
abstract class Part implements SmartLifecycle {

    private final int phase;
    private volatile boolean running;

    /** @param phase what is lower starts earlier and stops later */
    Part(int phase) {
        this.phase = phase;
    }

    /** Starts it; what this throws keeps the application from starting. */
    abstract void begin();

    /** Ends it, in bounded time, and does not fail. */
    abstract Mono<Void> end();

    @Override
    public final void start() {
        begin();
        running = true;
    }

    @Override
    public final void stop(Runnable callback) {
        var unused = end().doFinally(signal -> {
                    running = false;
                    callback.run();
                })
                .subscribe();
    }

    @Override
    public final void stop() {
        Mono.<Void>create(sink -> stop(sink::success)).block();
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final boolean isPauseable() {
        return false;
    }

    @Override
    public final int getPhase() {
        return phase;
    }
}
