package io.weir.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.resolver.NoopAddressResolverGroup;
import io.weir.core.Link;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.stream.Greeting;
import java.io.FileNotFoundException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;

/** Our end of connections that we begin. */
final class Connecting {

    private final PeerAddress address;
    private final TcpOptions options;
    private final NettyLoop loop;
    /** Whether the other side has proved elsewhere that it speaks the protocol. */
    private final boolean greeted;
    /** Whether the other side has shown its certificate elsewhere, so that it need not name the address. */
    private final boolean known;

    private Connecting(PeerAddress address, TcpOptions options, NettyLoop loop, boolean greeted, boolean known) {
        this.address = address;
        this.options = options;
        this.loop = loop;
        this.greeted = greeted;
        this.known = known;
    }

    /** To where a node listens. */
    static Connecting toNode(PeerAddress address, TcpOptions options, NettyLoop loop) {
        return new Connecting(address, options, loop, false, false);
    }

    /** To the data address of a node that is at the other end of this connection. */
    static Connecting toDataAddress(PeerAddress address, TcpOptions options, NettyLoop loop, Link bootstrap) {
        return new Connecting(
                address, options, loop, true, bootstrap.protection().principal() != null);
    }

    /** Tries each address of the host in turn. Fails with {@link PeerUnavailable} naming the last reason. */
    Mono<TcpLink> link() {
        return Sockets.resolve(address)
                .flatMap(this::tryInTurn)
                .map(connection ->
                        connection.channel().pipeline().get(TcpInbound.class).link())
                .onErrorMap(failure -> !(failure instanceof WeirException), this::unavailable);
    }

    private Mono<Connection> tryInTurn(List<SocketAddress> found) {
        Mono<Connection> tries = connect(found.get(0));
        for (SocketAddress next : found.subList(1, found.size())) {
            // What was reached and is not to be trusted is an answer.
            tries = tries.onErrorResume(failure -> !(failure instanceof WeirException), failure -> connect(next));
        }
        return tries;
    }

    private Mono<Connection> connect(SocketAddress remote) {
        return new Handover(TcpClient.newConnection()
                // Before the loop: Reactor Netty keeps a resolver of names for ever for each loop that it gets without.
                .resolver(NoopAddressResolverGroup.INSTANCE)
                .runOn(LoopSockets.connecting(loop), loop.onEpoll())
                .remoteAddress(() -> remote)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.connectTimeout().toMillis())
                .doOnChannelInit((observer, channel, to) -> {
                    Sockets.configure(channel, options);
                    channel.pipeline().addFirst(new TcpInbound(this::open, link -> {}));
                    Tls.connect(channel, options, address, known);
                })
                .connect());
    }

    private TcpLink open(ChannelHandlerContext context) {
        Remote remote = Remote.connectedTo(address);
        return new TcpLink(loop, context, options, remote, new Greeting(remote.stranger(), greeted));
    }

    private PeerUnavailable unavailable(Throwable failure) {
        return new PeerUnavailable(address + " can't be reached: " + reason(failure), failure);
    }

    private String reason(Throwable failure) {
        if (failure instanceof UnknownHostException) {
            return "the host name is not known here";
        }
        if (failure instanceof ConnectTimeoutException) {
            return "no answer within " + options.connectTimeout().toMillis() + " ms";
        }
        if (failure instanceof FileNotFoundException) {
            return "there is no such socket";
        }
        return Sockets.text(failure);
    }
}
