package io.weir.service;

import java.util.function.IntUnaryOperator;

/** Chooses which instance of a service takes the next call. Any thread, many at once; neither blocks nor allocates. */
@FunctionalInterface
public interface Balancer {

    /**
     * The number of the chosen one, from 0.
     *
     * @param candidates how many are connected, from 2; the same number may mean another instance the next time
     * @param outstanding the calls of this client to one of them that have not ended, as they are now
     */
    int choose(int candidates, IntUnaryOperator outstanding);

    /** Each in its turn. */
    static Balancer roundRobin() {
        return new RoundRobin();
    }

    /**
     * The one with the fewest calls that have not ended, so that an instance that stalls gets no more. All are looked
     * at: a client is connected to a few, and those with equally many take turns.
     */
    static Balancer leastOutstanding() {
        return new LeastOutstanding();
    }
}
