package io.weir.channel;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** Waits until the peer has accepted a channel, and closes it again if nobody waits any more. Loop thread only. */
final class ChannelWaiter implements Channel.Opening {

    private final MonoSink<Channel> sink;
    private @Nullable Channel channel;
    private boolean answered;

    ChannelWaiter(MonoSink<Channel> sink) {
        this.sink = sink;
    }

    void opened(Channel opened) {
        channel = opened;
        sink.onCancel(() -> opened.execute(this::giveUp));
    }

    /** Comes after {@link #accepted} as well, when the subscriber has cancelled just before it could have the channel. */
    private void giveUp() {
        Channel unwanted = Objects.requireNonNull(channel);
        if (answered) {
            unwanted.end();
        } else {
            answered = true;
            unwanted.fail(new CancellationException("who opened the channel has given up waiting"));
        }
    }

    @Override
    public void accepted() {
        if (!answered) {
            answered = true;
            sink.success(channel);
        }
    }

    @Override
    public void refused(Throwable reason) {
        if (!answered) {
            answered = true;
            sink.error(reason);
        }
    }
}
