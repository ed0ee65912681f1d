package io.weir.transport.nativelib;

/** A piece of mapped memory that somebody uses. Whoever has one ends it exactly once, on any thread. */
public interface Lease {

    /** The piece is not used any longer. */
    void end();
}
