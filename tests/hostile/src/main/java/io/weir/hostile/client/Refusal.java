package io.weir.hostile.client;

import java.io.IOException;

/** The node has said no, by REFUSE or FAILED. */
public final class Refusal extends IOException {

    private static final long serialVersionUID = 1;

    private final int flags;

    public Refusal(Frame frame) {
        super(frame.toString());
        flags = frame.flags();
    }

    public int flags() {
        return flags;
    }
}
