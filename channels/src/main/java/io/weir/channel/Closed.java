package io.weir.channel;

/** Stands where a feeder would, on a half that was closed before anything was sent on it. */
enum Closed implements Feeder {
    FEEDER;

    @Override
    public void room() {
        // There is nothing to send.
    }

    @Override
    public void cancelled() {
        // It ends anyway.
    }

    @Override
    public void failed(Throwable error) {
        // Nothing was lost.
    }
}
