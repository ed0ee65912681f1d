package io.weir.simulator;

import java.util.SplittableRandom;

/**
 * What schedules are made of. Each of these has all before it as well, and draws what it adds from a source of its own,
 * so that a seed that has found something keeps its meaning under the extent with which it did.
 */
enum Extent {
    /** Channels and requests, and everything that goes wrong. */
    FAULTS,
    /** Operators who move connections and cut them. */
    OPERATORS,
    /** Nodes whose sessions do not change their path, or not by themselves. */
    REPATH,
    /** Messages to mailboxes, and requests that are answered with a stream. */
    EXCHANGES,
    /** Nodes that share a secret, are just changing it, or know another one. */
    SECRETS,
    /** Devices that come and go, and nodes that begin over tcp at once or soon. */
    DEVICES;

    /** What is simulated today; {@code -Dweir.simulator.extent} overrides it. */
    static Extent current() {
        String name = System.getProperty("weir.simulator.extent", "");
        Extent[] all = values();
        return name.isEmpty() ? all[all.length - 1] : valueOf(name);
    }

    boolean has(Extent other) {
        return compareTo(other) >= 0;
    }

    /** The source of what this one adds to the schedule of a seed. */
    SplittableRandom chance(long seed) {
        return new SplittableRandom(seed ^ ordinal() * 0x9e37_79b9_7f4a_7c15L);
    }
}
