package io.weir.channel;

import io.weir.core.ControlData;
import io.weir.core.ErrorCode;
import io.weir.core.PathRequired;
import io.weir.core.Refused;
import io.weir.path.Logs;
import java.util.Objects;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Accepts every channel and leaves it to a function. */
final class ServeHandler implements PortHandler {

    private final Function<? super Channel, ? extends Publisher<Void>> handler;
    private final Ports ports;
    private final boolean watched;

    ServeHandler(Ports ports, Function<? super Channel, ? extends Publisher<Void>> handler) {
        this(ports, handler, true);
    }

    /** @param watched whether interceptors see the channels */
    ServeHandler(Ports ports, Function<? super Channel, ? extends Publisher<Void>> handler, boolean watched) {
        this.ports = ports;
        this.handler = handler;
        this.watched = watched;
    }

    @Override
    public void opened(Channel channel, boolean requests) {
        if (requests) {
            channel.refuse(
                    ErrorCode.REFUSED,
                    "port '" + channel.port() + "' is served by channels: open one, requests are not answered there");
            return;
        }
        channel.accept();
        serve(channel);
    }

    private void serve(Channel channel) {
        Flux<Void> work;
        try {
            CallInterceptor interceptor = watched ? ports.interceptor() : null;
            work = interceptor == null ? handle(channel) : watched(interceptor, channel);
        } catch (Refused | PathRequired e) {
            channel.turnAway(e instanceof Refused ? ErrorCode.REFUSED : ErrorCode.PATH_REQUIRED, e);
            return;
        } catch (Throwable t) {
            channel.fail(t);
            return;
        }
        Logs.PORTS.debug("{} begins", channel);
        channel.whileOpen(work.subscribe(
                nothing -> {},
                error -> channel.execute(() -> channel.failUnlessOver(error)),
                () -> channel.execute(channel::end)));
    }

    private Flux<Void> handle(Channel channel) {
        return Flux.from(Objects.requireNonNull(
                handler.apply(channel), () -> "the handler of port '" + channel.port() + "' yields null"));
    }

    private Flux<Void> watched(CallInterceptor interceptor, Channel channel) {
        CallDescription call = new CallDescription(CallKind.EXCHANGE, channel.peer(), channel.port(), null);
        IncomingCall watched = interceptor.called(call, ControlData.empty());
        return watched == null
                ? handle(channel)
                : Watching.over(Watching.opened(watched, () -> handle(channel)), watched, false);
    }

    @Override
    public void closed() {
        // Channels that are open go on; new ones find nobody.
    }
}
