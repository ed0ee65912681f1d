package io.weir.channel;

import io.weir.flow.Lane;

/**
 * Frames that go before all messages. However many there are to send, they have one place in the lanes. Loop thread
 * only.
 */
abstract class ControlFrames implements Outgoing {

    private final Outbox outbox;
    private boolean listed;

    ControlFrames(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Whether something is to be sent, as far as it was listed. */
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

    /** Sends all of them; returns false if the link was full before that. */
    abstract boolean send();
}
