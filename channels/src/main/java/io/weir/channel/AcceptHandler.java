package io.weir.channel;

import io.weir.core.ErrorCode;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Accepts channels as a {@code Flux}: a channel is accepted when the subscriber has asked for one. Those that come
 * before wait, at most {@link #BACKLOG} of them, of which each peer has its share; further ones are refused as
 * overloaded.
 */
final class AcceptHandler implements PortHandler {

    /** As many as a socket's backlog usually holds. */
    private static final int BACKLOG = 128;

    private final Queue<Channel> waiting = new ArrayDeque<>();
    private final Places places = new Places(BACKLOG);
    private final FluxSink<Channel> sink;
    /** Channels that the subscriber has asked for and not had. */
    private long promised;

    private boolean closed;

    AcceptHandler(FluxSink<Channel> sink) {
        this.sink = sink;
    }

    @Override
    public void opened(Channel channel, boolean requests) {
        if (requests) {
            channel.refuse(
                    ErrorCode.REFUSED,
                    "port '" + channel.port() + "' is served by channels: open one, requests are not answered there");
            return;
        }
        boolean full;
        synchronized (this) {
            full = closed || !places.tryTake(channel.peer());
            if (!full) {
                waiting.add(channel);
            }
        }
        channel.whileOpen(() -> remove(channel));
        if (full) {
            channel.refuse(
                    ErrorCode.OVERLOADED,
                    "port '" + channel.port() + "' has as many channels of this peer waiting as may (of " + BACKLOG
                            + " in all)");
        } else {
            emit();
        }
    }

    /** Hands out what waits, as far as it was asked for. */
    void emit() {
        for (Channel next; (next = takeOne()) != null; ) {
            Channel accepted = next;
            accepted.execute(() -> accept(accepted));
        }
    }

    private void accept(Channel channel) {
        if (sink.isCancelled()) {
            channel.refuse(ErrorCode.NO_SUCH_PORT, Ports.noLongerServed(channel.port()));
        } else if (channel.open()) {
            channel.accept();
            try {
                sink.next(channel);
            } catch (Throwable t) {
                // What Reactor calls fatal is handed on by it: nobody has the channel then.
                channel.fail(t);
            }
        } else {
            // It has ended meanwhile: another one takes its turn.
            requested(1);
        }
    }

    private synchronized void remove(Channel channel) {
        if (waiting.remove(channel)) {
            places.give(channel.peer());
        }
    }

    private synchronized @Nullable Channel takeOne() {
        return promised > 0 ? poll() : null;
    }

    private @Nullable Channel poll() {
        Channel next = waiting.poll();
        if (next != null) {
            places.give(next.peer());
        }
        if (next != null && promised != Long.MAX_VALUE) {
            promised--;
        }
        return next;
    }

    void requested(long n) {
        synchronized (this) {
            promised = promised + n < 0 ? Long.MAX_VALUE : promised + n;
        }
        emit();
    }

    @Override
    public void closed() {
        Queue<Channel> left;
        synchronized (this) {
            closed = true;
            left = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        for (Channel each : left) {
            each.execute(() -> each.refuse(ErrorCode.NO_SUCH_PORT, Ports.noLongerServed(each.port())));
        }
        sink.complete();
    }

    static Flux<Channel> flux(Ports ports, String port) {
        return Flux.<Channel>create(
                        sink -> {
                            AcceptHandler handler = new AcceptHandler(sink);
                            sink.onDispose(ports.serve(port, handler));
                            sink.onRequest(handler::requested);
                        },
                        FluxSink.OverflowStrategy.BUFFER)
                // Accepted, and then cancelled by who has another one in hand.
                .doOnDiscard(Channel.class, channel -> channel.close().subscribe());
    }
}
