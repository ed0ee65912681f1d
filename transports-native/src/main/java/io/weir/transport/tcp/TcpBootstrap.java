package io.weir.transport.tcp;

import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * First connections over TCP, and over Unix-domain sockets where epoll is there.
 *
 * <p>A listener lives on one of the loops that its connections are given: the supplier is asked for that once more than
 * for the connections.
 */
public final class TcpBootstrap implements Bootstrap {

    private final ConcurrentMap<TlsSpec, Tls> tls = new ConcurrentHashMap<>();

    @Override
    public Loop newLoop(String name, Waiting waiting, TransportSettings settings) {
        if (!settings.tls().enabled()) {
            return NettyLoop.start(name, waiting, settings.nativeAllowed());
        }
        // First, as this is what may fail.
        Tls shared = tls.computeIfAbsent(settings.tls(), Tls::load);
        NettyLoop loop = NettyLoop.start(name, waiting, settings.nativeAllowed());
        shared.join(loop);
        return loop;
    }

    @Override
    public Mono<Listener> bind(
            PeerAddress address, TransportSettings settings, Supplier<Loop> loops, Consumer<Link> accepted) {
        return bind(address, settings, loops, accepted, (from, reason) -> {});
    }

    @Override
    public Mono<Listener> bind(
            PeerAddress address,
            TransportSettings settings,
            Supplier<Loop> loops,
            Consumer<Link> accepted,
            BiConsumer<SocketAddress, String> turnedAway) {
        return Mono.defer(() -> new Listening(address, TcpOptions.of(settings), loops, accepted, turnedAway).open());
    }

    @Override
    public Mono<Link> connect(PeerAddress address, TransportSettings settings, Loop loop) {
        return Mono.defer(() -> {
                    NettyLoop ours = ChosenLoops.netty(loop);
                    Sockets.checkKind(address, ours);
                    Connecting connecting = Connecting.toNode(address, TcpOptions.of(settings), ours);
                    return joined(settings.tls(), ours).then(Mono.defer(connecting::link));
                })
                .cast(Link.class);
    }

    @Override
    public Executor elsewhere() {
        return Elsewhere::execute;
    }

    /** The loop has this one from now on: another one than its own is read when it is needed first. */
    private Mono<Void> joined(TlsSpec its, NettyLoop loop) {
        if (!its.enabled()) {
            return Mono.empty();
        }
        Tls known = tls.get(its);
        Mono<Tls> made = known != null
                ? Mono.just(known)
                : Mono.fromCallable(() -> tls.computeIfAbsent(its, Tls::load)).subscribeOn(Schedulers.boundedElastic());
        return made.doOnNext(ready -> ready.join(loop)).then();
    }
}
