package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;
import io.weir.benchmark.contender.Measurement;
import io.weir.benchmark.contender.Scenario;
import java.io.IOException;
import java.time.Duration;

/** The ring in C, which everything else is related to. */
final class Ring implements AutoCloseable {

    private static final Cell PROBE = new Cell(Scenario.RTT, 32);
    private static final Duration PROBE_WARM = Duration.ofMillis(5);
    private static final Duration PROBE_LENGTH = Duration.ofMillis(25);
    private static final Duration WARM = Duration.ofMillis(20);
    private static final Duration LENGTH = Duration.ofMillis(120);

    private final Pair pair;
    private long bestRttNanos = Long.MAX_VALUE;

    private Ring(Pair pair) {
        this.pair = pair;
    }

    static Ring start(Entrant entrant) throws IOException, InterruptedException {
        return new Ring(Pair.start(entrant));
    }

    /** The round trip of 32 B now. */
    long rttNanos() throws InterruptedException {
        long rtt = run(PROBE, PROBE_WARM, PROBE_LENGTH).p50Nanos();
        bestRttNanos = Math.min(bestRttNanos, rtt);
        return rtt;
    }

    /** The shortest {@link #rttNanos} up to now. */
    long bestRttNanos() {
        return bestRttNanos;
    }

    /** What the ring does in this cell, or in the one that comes nearest where it has none of its own. */
    Measurement measure(Cell cell) throws InterruptedException {
        Scenario scenario = switch (cell.scenario()) {
            case RTT, ONE_WAY, CHECKED, ECHO -> cell.scenario();
            case ASK, CALLS -> Scenario.ECHO;
            case LOANED, SLEEP, IDLE, STALL, CALL, CALL_BYTES, CODEC -> Scenario.RTT;
        };
        // What nobody touches costs what a few bytes cost.
        int size = cell.scenario() == Scenario.LOANED ? PROBE.size() : cell.size();
        return run(new Cell(scenario, size), WARM, LENGTH);
    }

    /** Without the ring nothing else means anything, so its failure ends the run. */
    private Measurement run(Cell cell, Duration warm, Duration length) throws InterruptedException {
        try {
            return pair.run(cell, Child.ONLY_VARIANT, warm, length).measured();
        } catch (ChildFailed e) {
            throw new IllegalStateException("The ring itself failed, " + cell + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
