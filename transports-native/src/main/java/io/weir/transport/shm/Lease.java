package io.weir.transport.shm;

/** A piece of a segment that somebody uses. Whoever has one ends it exactly once, on any thread. */
interface Lease {

    /** The piece is not used any longer. */
    void end();
}
