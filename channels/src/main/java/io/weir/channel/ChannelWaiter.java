package io.weir.channel;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** Waits until the peer has accepted a channel, and closes it again if nobody waits any more. Loop thread only. */
final class ChannelWaiter implements Channel.Opening {

    private final MonoSink<Channel> sink;
    private volatile boolean cancelled;
    private @Nullable Channel channel;

    ChannelWaiter(MonoSink<Channel> sink) {
        this.sink = sink;
        sink.onCancel(() -> cancelled = true);
    }

    void opened(Channel opened) {
        channel = opened;
    }

    @Override
    public void accepted() {
        Channel ready = channel;
        if (cancelled && ready != null) {
            ready.end();
        } else {
            sink.success(ready);
        }
    }

    @Override
    public void refused(Throwable reason) {
        sink.error(reason);
    }
}
