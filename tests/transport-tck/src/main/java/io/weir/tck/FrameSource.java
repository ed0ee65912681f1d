package io.weir.tck;

import io.weir.core.Frame;

/** Frames by their number. */
@FunctionalInterface
interface FrameSource {

    /** Fills in the frame of this number, with a body that the caller owns. The same at every call. */
    void fill(long number, Frame frame, Bodies bodies);
}
