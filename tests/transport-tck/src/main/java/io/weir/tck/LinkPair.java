package io.weir.tck;

import io.weir.core.Link;
import io.weir.core.Loop;

/**
 * Two links that are connected to each other, each on a loop of its own, on neither of which a handler was set. Closing
 * it ends the links, then whatever they were made with, and fails if a buffer was not released exactly once.
 */
public final class LinkPair implements AutoCloseable {

    final End first;
    final End second;
    private final AutoCloseable foundation;

    /**
     * A pair.
     *
     * @param foundation what both links rest on, at least the loops: closed after the links
     */
    public LinkPair(Link first, Loop firstLoop, Link second, Loop secondLoop, AutoCloseable foundation) {
        this.first = new End("the first side", first, firstLoop);
        this.second = new End("the second side", second, secondLoop);
        this.foundation = foundation;
    }

    /** The smaller of both links' longest frames, at most what the tests can make. */
    int maxFrame() {
        return Math.min(Noise.LONGEST, Math.min(first.link.maxFrame(), second.link.maxFrame()));
    }

    @Override
    public void close() throws Exception {
        try {
            End.runUnlessEnded(first.loop, first::giveUp);
            End.runUnlessEnded(second.loop, second::giveUp);
        } finally {
            foundation.close();
        }
        first.check();
        second.check();
        first.bodies.settle();
        second.bodies.settle();
    }
}
