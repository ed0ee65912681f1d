package io.weir.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One world: its clock, what is going to happen in it, and the chance that orders what happens at once. The thread that
 * made it drives it, and is every thread of every node in turn.
 */
final class Simulation {

    /** So many steps at one moment are a loop that never comes to rest. */
    private static final int STEPS_AT_ONCE = 200_000;

    /** While something is to be done, time goes on in steps no longer than this. */
    private static final long HASTE = Duration.ofMillis(1).toNanos();

    private static final ThreadLocal<@Nullable Simulation> CURRENT = new ThreadLocal<>();

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private final SplittableRandom chance;
    private final Trace trace;
    private final Network network;
    private final Ledger ledger = new Ledger();
    private final Excuses excuses = new Excuses(this);
    private final Devices devices = new Devices();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    /** What is to be done now, in no order: turns of loops, and what users do elsewhere. */
    private final List<Runnable> due = new ArrayList<>();

    private final List<Incarnation> incarnations = new ArrayList<>();
    private long now;
    private long scheduled;
    private int stepsAtOnce;
    private @Nullable SimLoop running;
    private @Nullable Incarnation starting;
    private boolean calm;
    private @Nullable String violation;

    Simulation(SplittableRandom chance, Promise promise, Mutation mutation, Trace trace) {
        this.chance = chance;
        this.trace = trace;
        this.network = new Network(this, promise, mutation);
    }

    /** The one whose thread the caller runs on. */
    static Simulation current() {
        return Objects.requireNonNull(CURRENT.get(), "this is no thread of a simulation");
    }

    static @Nullable Simulation currentOrNull() {
        return CURRENT.get();
    }

    /** From now on, until {@link #leave}, this is the world of the calling thread. */
    void enter() {
        CURRENT.set(this);
        var unused = ThreadChance.seed(chance.nextLong());
    }

    void leave() {
        CURRENT.remove();
    }

    SplittableRandom chance() {
        return chance;
    }

    Network network() {
        return network;
    }

    Ledger ledger() {
        return ledger;
    }

    Devices devices() {
        return devices;
    }

    Excuses excuses() {
        return excuses;
    }

    long now() {
        return now;
    }

    /** The loop whose turn it is; null while a user acts elsewhere. */
    @Nullable
    SimLoop running() {
        return running;
    }

    void running(@Nullable SimLoop loop) {
        running = loop;
    }

    /** What is made now belongs to it. */
    void starting(@Nullable Incarnation incarnation) {
        starting = incarnation;
        if (incarnation != null && !incarnations.contains(incarnation)) {
            incarnations.add(incarnation);
        }
    }

    Incarnation starting() {
        return Objects.requireNonNull(starting, "no node is being started");
    }

    /** Nothing goes wrong any more, and nobody starts anything. */
    void calmDown() {
        calm = true;
        devices.mendAll();
    }

    boolean isCalm() {
        return calm;
    }

    List<Incarnation> incarnations() {
        return incarnations;
    }

    /** Yes in one of so many cases. */
    boolean oneIn(int cases) {
        return chance.nextInt(cases) == 0;
    }

    /** A time between none and this one; small ones are as likely as large ones. */
    long upTo(Duration most) {
        double share = chance.nextDouble();
        return (long) (most.toNanos() * share * share * share);
    }

    void at(long when, Runnable action) {
        events.add(new Event(Math.max(when, now), scheduled++, action));
    }

    void after(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** To be done now, in no order with what else is due. */
    void due(Runnable action) {
        due.add(action);
    }

    /** A user of the node does something after this time, on a thread of his own; not while the node is stopped. */
    void act(Incarnation who, long nanos, Runnable action) {
        after(nanos, () -> who.whenGoing(() -> due(action)));
    }

    boolean tracing() {
        return trace.wanted();
    }

    void trace(Supplier<String> what) {
        trace.add(now, what);
    }

    /** The first one counts; what follows may be its consequence. */
    void violated(String what) {
        if (violation == null) {
            violation = what;
            trace(() -> "VIOLATION: " + what);
        }
    }

    void violated(String what, Throwable error) {
        if (violation == null) {
            trace.add(now, error);
            violated(what + ": " + error);
        }
    }

    @Nullable
    String violation() {
        return violation;
    }

    /** Lets things happen until it is so and nothing is due, or for this time at most; whether it is so. */
    boolean run(Duration most, BooleanSupplier until) {
        long end = now + most.toNanos();
        while (violation == null) {
            if (due.isEmpty() && until.getAsBoolean()) {
                return true;
            }
            if (!step(end)) {
                now = end;
                return until.getAsBoolean();
            }
        }
        return false;
    }

    /** Lets this time pass. */
    void pass(Duration time) {
        var unused = run(time, () -> false);
    }

    /**
     * One thing happens, or time goes on to the next moment at which something does; false if that lies beyond the end.
     */
    private boolean step(long end) {
        Event next = events.peek();
        boolean hasten = next != null && next.at - now <= HASTE && oneIn(4);
        if (due.isEmpty() || hasten) {
            if (next == null || next.at > end) {
                if (due.isEmpty()) {
                    return false;
                }
            } else {
                happen(next.at);
                return true;
            }
        }
        if (++stepsAtOnce > STEPS_AT_ONCE) {
            violated("something goes on for ever, without any time passing");
        }
        int chosen = chance.nextInt(due.size());
        int last = due.size() - 1;
        Runnable action = due.get(chosen);
        due.set(chosen, due.get(last));
        due.remove(last);
        guarded(action);
        return true;
    }

    private void happen(long moment) {
        if (moment > now) {
            now = moment;
            stepsAtOnce = 0;
        }
        for (Event next; (next = events.peek()) != null && next.at <= now; ) {
            events.remove();
            guarded(next.action);
        }
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            violated("an exception that nobody caught", e);
        }
    }
}
