package io.weir.channel;

import io.weir.flow.Lane;

/** Control frames of one sender. They go before all messages, and take one place in the lanes. Loop thread only. */
abstract class ControlFrames implements Outgoing {

    private final Outbox outbox;
    private boolean listed;

    ControlFrames(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Whether these stand in the lanes. */
    final boolean listed() {
        return listed;
    }

    @Override
    public final void list() {
        if (!listed) {
            listed = true;
            outbox.lanes().add(Lane.CONTROL, this);
            outbox.drainLater();
        }
    }

    @Override
    public final void putBack() {
        if (!listed) {
            listed = true;
            outbox.lanes().putBack(Lane.CONTROL, this);
        }
    }

    @Override
    public final boolean push() {
        listed = false;
        return send();
    }

    /** Sends all that are pending. Returns false if the link became full before that. */
    abstract boolean send();
}
