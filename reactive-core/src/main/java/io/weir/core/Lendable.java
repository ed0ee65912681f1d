package io.weir.core;

import java.util.function.IntPredicate;

/**
 * A {@link Pollable} link, part of whose work can be done by a thread that has {@link Loop#tryBorrow borrowed} the
 * loop.
 */
public interface Lendable extends Pollable {

    /** What {@link #pollLent} has met that is not for who has borrowed the loop. */
    int RECALL = -1;

    /**
     * As {@link #poll()}, but hands over only messages and credit, and only of these channels. Whatever else comes
     * first stays where it is. Throws what its handler throws; then {@link #failed} has to be called.
     *
     * @return how much there was; {@link #RECALL} if the loop's own thread has to look
     */
    int pollLent(IntPredicate channels);

    /**
     * What was done by who has borrowed the loop has failed, and may be half done, for instance because its stack was
     * too deep. The link ends as soon as the loop's own thread, which must be recalled, looks. Needs hardly any stack.
     */
    void failed(Throwable failure);
}
