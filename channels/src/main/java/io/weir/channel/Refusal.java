package io.weir.channel;

import io.weir.core.Frame;
import io.weir.core.LinkHandler;
import io.weir.core.WeirException;

/** Hears nothing of a connection that is closed at once. */
enum Refusal implements LinkHandler {
    HANDLER;

    @Override
    public void frame(Frame frame) {
        frame.body().release();
    }

    @Override
    public void writable() {
        // Nothing is sent.
    }

    @Override
    public void lost(WeirException reason) {
        // It was not wanted.
    }
}
