package io.weir.simulator;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A loop without a thread of its own: the simulation gives it turns, and the time. */
final class SimLoop implements Loop {

    /** Whoever lets so short a timer run out instead of disposing of it does no harm. */
    private static final Duration SHORT = Duration.ofMillis(500);

    /** Hooks of one turn that leave hooks for ever. */
    private static final int MOST_HOOKS = 100_000;

    private final Simulation simulation;
    private final Incarnation owner;
    private final String name;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<Runnable> hooks = new ArrayDeque<>();
    private final ArrayDeque<Timer> ripe = new ArrayDeque<>();
    private final List<Pollable> pollables = new ArrayList<>();
    /** Links that have something for their handlers. */
    private final List<SimLink> ready = new ArrayList<>();

    private final List<SimLink> links = new ArrayList<>();
    private final Sinks.Empty<Void> announced = Sinks.empty();
    private int longTimers;
    private boolean turnDue;
    private boolean closing;
    private boolean ended;

    SimLoop(Simulation simulation, Incarnation owner, String name) {
        this.simulation = simulation;
        this.owner = owner;
        this.name = name;
    }

    Incarnation owner() {
        return owner;
    }

    boolean hasEnded() {
        return ended;
    }

    /** What is left though nothing should be; null if nothing is. */
    String leftovers() {
        StringBuilder left = new StringBuilder();
        if (longTimers > 0) {
            left.append(longTimers).append(" timers, ");
        }
        if (!tasks.isEmpty() || !hooks.isEmpty()) {
            left.append(tasks.size()).append(" tasks, ").append(hooks.size()).append(" hooks, ");
        }
        if (!pollables.isEmpty()) {
            left.append(pollables.size()).append(" pollables, ");
        }
        for (SimLink link : links) {
            left.append(link).append(" open, ");
        }
        return left.toString();
    }

    /** The link lives here from now on. */
    void attach(SimLink link) {
        links.add(link);
    }

    void detach(SimLink link) {
        links.remove(link);
    }

    /** The link has something for its handler. */
    void ready(SimLink link) {
        if (!ready.contains(link)) {
            ready.add(link);
        }
        wake();
    }

    private void wake() {
        if (!turnDue && !ended) {
            turnDue = true;
            owner.whenGoing(() -> simulation.due(this::turn));
        }
    }

    private void turn() {
        if (owner.isStopped()) {
            // Stopped between its waking and its turn.
            owner.whenGoing(() -> simulation.due(this::turn));
            return;
        }
        turnDue = false;
        if (ended) {
            return;
        }
        simulation.running(this);
        try {
            poll();
            int count = tasks.size();
            for (int i = 0; i < count; i++) {
                run(tasks.remove());
            }
            runHooks();
            if (closing && tasks.isEmpty()) {
                end();
            }
        } finally {
            simulation.running(null);
        }
        if (!tasks.isEmpty() || !ready.isEmpty() || !ripe.isEmpty()) {
            wake();
        }
    }

    /** Links in any order, and sometimes not all of them; then timers. */
    private void poll() {
        for (Pollable each : List.copyOf(pollables)) {
            if (each.poll() > 0) {
                wake();
            }
        }
        for (int left = ready.size(); left > 0 && !ready.isEmpty(); left--) {
            SimLink next = ready.remove(simulation.chance().nextInt(ready.size()));
            if (simulation.oneIn(8)) {
                ready.add(next);
            } else if (next.poll()) {
                ready(next);
            }
        }
        for (Timer next; (next = ripe.poll()) != null; ) {
            next.run();
        }
    }

    private void runHooks() {
        int count = 0;
        for (Runnable hook; (hook = hooks.poll()) != null; ) {
            run(hook);
            if (++count > MOST_HOOKS) {
                simulation.violated("hooks at the end of a turn of " + name + " go on for ever");
                return;
            }
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            simulation.violated("a task on " + name + " has thrown", e);
        }
    }

    private void end() {
        for (SimLink link : List.copyOf(links)) {
            link.loopEnds();
        }
        while (!tasks.isEmpty() || !hooks.isEmpty()) {
            Runnable task = tasks.poll();
            if (task != null) {
                run(task);
            }
            runHooks();
        }
        ended = true;
        simulation.trace(() -> name + " ends");
        // Told from elsewhere, as this thread can't have ended when it does so itself.
        simulation.after(0, () -> simulation.due(announced::tryEmitEmpty));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean inLoop() {
        return simulation.running() == this;
    }

    @Override
    public void execute(Runnable task) {
        refuseAfterEnd();
        tasks.add(task);
        wake();
    }

    private void refuseAfterEnd() {
        if (ended) {
            throw new RejectedExecutionException(name + " has ended");
        }
    }

    @Override
    public Disposable schedule(Runnable task, Duration delay) {
        refuseAfterEnd();
        Timer timer = new Timer(task, delay.compareTo(SHORT) > 0);
        simulation.after(Math.max(0, delay.toNanos()), timer::ripen);
        return timer;
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        mustBeHere("atTurnEnd");
        hooks.add(hook);
    }

    @Override
    public void add(Pollable pollable) {
        mustBeHere("add");
        pollables.add(pollable);
        wake();
    }

    @Override
    public void remove(Pollable pollable) {
        mustBeHere("remove");
        pollables.remove(pollable);
    }

    /** After the end there is no thread that it could be. */
    void mustBeHere(String what) {
        if (!inLoop() && !ended) {
            simulation.violated(
                    what + " was called beside the loop " + name, new IllegalStateException("the wrong thread"));
        }
    }

    @Override
    public Disposable watch(int descriptor, Runnable onReadable) {
        throw new UnsupportedOperationException("a simulated loop watches no descriptors");
    }

    @Override
    public Mono<Void> close() {
        if (!ended) {
            execute(() -> closing = true);
        }
        return announced.asMono();
    }

    @Override
    public String toString() {
        return name;
    }

    private final class Timer implements Disposable {

        private final Runnable task;
        private final boolean isLong;
        private boolean over;

        Timer(Runnable task, boolean isLong) {
            this.task = task;
            this.isLong = isLong;
            longTimers += isLong ? 1 : 0;
        }

        void ripen() {
            if (!over && !ended) {
                ripe.add(this);
                wake();
            }
        }

        void run() {
            if (!over) {
                dispose();
                SimLoop.this.run(task);
            }
        }

        @Override
        public void dispose() {
            if (!over) {
                over = true;
                longTimers -= isLong ? 1 : 0;
            }
        }

        @Override
        public boolean isDisposed() {
            return over;
        }
    }
}
