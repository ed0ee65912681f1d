package io.weir.simulator;

import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.time.Duration;

/** Both ends of a link and what is between them. */
final class Wire {

    private static final Duration HANDSHAKE = Duration.ofSeconds(6);

    private final Simulation simulation;
    private final Network network;
    private final Shape shape;
    private final int number;
    private final SimLink first;
    private final SimLink second;
    private final Pipe toFirst;
    private final Pipe toSecond;
    /** Frames of a session have come through, either way. */
    private boolean usedThere;

    private boolean usedBack;
    private final long made;
    private boolean broken;

    Wire(Simulation simulation, Shape shape, int number, SimLoop first, SimLoop second) {
        this.simulation = simulation;
        this.network = simulation.network();
        this.shape = shape;
        this.number = number;
        this.made = simulation.now();
        this.toFirst = new Pipe(simulation, this, shape);
        this.toSecond = new Pipe(simulation, this, shape);
        this.first = new SimLink(simulation, this, first, toFirst, toSecond);
        this.second = new SimLink(simulation, this, second, toSecond, toFirst);
    }

    Network network() {
        return network;
    }

    Shape shape() {
        return shape;
    }

    SimLink first() {
        return first;
    }

    SimLink second() {
        return second;
    }

    @SuppressWarnings("ReferenceEquality")
    SimLink receiver(Pipe pipe) {
        return pipe == toFirst ? first : second;
    }

    @SuppressWarnings("ReferenceEquality")
    SimLink sender(Pipe pipe) {
        return pipe == toFirst ? second : first;
    }

    boolean isOf(Incarnation one) {
        return first.owner() == one || second.owner() == one;
    }

    boolean isBetween(Host one, Host other) {
        Host a = first.owner().host();
        Host b = second.owner().host();
        return (a == one && b == other) || (a == other && b == one);
    }

    /** Whether both ends have a session with the other one, so that no handshake depends on this. */
    boolean isOfSession() {
        return knows(first.owner(), second.owner()) && knows(second.owner(), first.owner());
    }

    private static boolean knows(Incarnation one, Incarnation other) {
        return one.isThere() && other.isThere() && one.peer(other) != null;
    }

    boolean isOpen() {
        return !broken && !(first.isOver() && second.isOver());
    }

    @SuppressWarnings("ReferenceEquality")
    void carried(Pipe pipe, boolean session) {
        if (session && pipe == toFirst) {
            usedBack = true;
        } else if (session) {
            usedThere = true;
        }
        network.carried(this);
    }

    /** Whether a session goes over it, as far as one can see. */
    boolean isUsed() {
        return usedThere && usedBack;
    }

    /** A handshake may still depend on it, which ends when it takes too long. */
    boolean isYoung() {
        return !isUsed() && simulation.now() - made < HANDSHAKE.toNanos();
    }

    void stall(boolean there, Duration time) {
        (there ? toSecond : toFirst).stall(time.toNanos());
    }

    void corrupt(boolean there) {
        (there ? toSecond : toFirst).corrupt();
    }

    /** Nothing arrives any more; each end notices after a time of its own, when it has had what arrived before. */
    void breaks(long firstNotices, long secondNotices, WeirException reason) {
        if (broken) {
            return;
        }
        broken = true;
        toFirst.sever();
        toSecond.sever();
        toFirst.end(firstNotices, reason);
        toSecond.end(secondNotices, reason);
    }

    /** One end's process has died: nothing comes from it any more; the other end notices after this time, if at all. */
    void dies(Incarnation dead, long othersNotice, boolean silently) {
        Pipe fromDead = first.owner() == dead ? toSecond : toFirst;
        Pipe toDead = first.owner() == dead ? toFirst : toSecond;
        toDead.sever();
        fromDead.sever();
        if (!silently) {
            fromDead.end(othersNotice, new SessionLost("the process at the other end is gone"));
        }
    }

    /** What the dead one would see if it came back. */
    void resurrected(Incarnation dead) {
        (first.owner() == dead ? toFirst : toSecond).end(0, new SessionLost("the connection was given up"));
    }

    @Override
    public String toString() {
        return shape.transport() + '-' + number + '(' + first.owner() + ',' + second.owner() + ')';
    }
}
