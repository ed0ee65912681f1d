package io.weir.core;

import java.util.function.IntPredicate;

/** A {@link Pollable} link, part of whose work can be done by a thread that has {@link Loop#tryBorrow borrowed} the loop. */
public interface Lendable extends Pollable {

    /** What {@link #pollLent} has met that is not for who has borrowed the loop. */
    int RECALL = -1;

    /**
     * As {@link #poll()}, but hands over only messages and credit, and only of these channels. Whatever else comes first stays where it is.
     *
     * @return how much there was; {@link #RECALL} if the loop's own thread has to look
     */
    int pollLent(IntPredicate channels);
}
