package io.weir.channel;

/** Stands where a feeder would, on a half that was closed before anything was sent on it. */
enum Closed implements Outbound.Feeder {
    FEEDER;

    @Override
    public void room() {
        // There is nothing to send.
    }

    @Override
    public void endSent() {
        // Whoever has closed the channel is told by it.
    }

    @Override
    public void delivered() {
        // Never asked for.
    }

    @Override
    public void cancelled() {
        // It ends anyway.
    }

    @Override
    public void failed(Throwable error) {
        // Nothing was lost.
    }

    @Override
    public void closing() {
        // Closed already.
    }
}
