package io.weir.flow;

/** What kind of thing wants to send: the smaller it is, the sooner it goes. */
public enum Lane {
    /** What others wait for: credit, ends, errors. Bounded by the number of channels. */
    CONTROL,
    /** Messages that fit in one frame. */
    SMALL,
    /** Pieces of long messages. */
    BULK
}
