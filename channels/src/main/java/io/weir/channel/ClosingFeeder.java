package io.weir.channel;

import reactor.core.publisher.MonoSink;

/** Waits for the end of a half on which nothing was sent. */
record ClosingFeeder(MonoSink<Void> sink) implements Outbound.Feeder {

    @Override
    public void room() {
        // There is nothing to send.
    }

    @Override
    public void endSent() {
        sink.success();
    }

    @Override
    public void delivered() {
        sink.success();
    }

    @Override
    public void cancelled() {
        sink.success();
    }

    @Override
    public void failed(Throwable error) {
        sink.success();
    }
}
