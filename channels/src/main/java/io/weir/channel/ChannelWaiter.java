package io.weir.channel;

import io.weir.path.Promise;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Waits until the peer has accepted a channel, and gives up the opening if nobody waits any more. Loop thread only. */
final class ChannelWaiter implements Channel.Opening {

    private final Promise<Channel> outcome;
    private @Nullable Channel channel;
    private boolean answered;

    ChannelWaiter(Promise<Channel> outcome) {
        this.outcome = outcome;
    }

    void opened(Channel opened) {
        channel = opened;
        outcome.onCancel(() -> opened.execute(this::giveUp));
    }

    private void giveUp() {
        if (!answered) {
            answered = true;
            Objects.requireNonNull(channel)
                    .fail(new CancellationException("who opened the channel has given up waiting"));
        }
    }

    @Override
    public void accepted() {
        if (!answered) {
            answered = true;
            outcome.success(Objects.requireNonNull(channel));
        }
    }

    @Override
    public void refused(Throwable reason) {
        if (!answered) {
            answered = true;
            outcome.error(reason);
        }
    }
}
