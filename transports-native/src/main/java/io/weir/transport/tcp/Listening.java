package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RareLog;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.stream.Greeting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/** A listener being opened, and what it does with each connection. */
final class Listening {

    private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

    private final PeerAddress address;
    private final TcpOptions options;
    private final Supplier<Loop> loops;
    private final NettyLoop loop;
    private final Consumer<Link> accepted;
    private final BiConsumer<SocketAddress, String> turnedAway;
    private final RareLog warnings = new RareLog(LOG, System::nanoTime);
    private final @Nullable SocketFile file;
    /** A process that connects to a Unix-domain socket must be of this user; -1 for other sockets. */
    private long user = -1;

    /**
     * Nothing happens before {@link #open}.
     *
     * @param loops asked once for the listener's own loop, then for each connection's
     * @param turnedAway called with where a connection comes from, and why its TLS handshake has failed
     */
    Listening(
            PeerAddress address,
            TcpOptions options,
            Supplier<Loop> loops,
            Consumer<Link> accepted,
            BiConsumer<SocketAddress, String> turnedAway) {
        this.address = address;
        this.options = options;
        this.loops = loops;
        this.loop = ChosenLoops.netty(loops.get());
        this.accepted = accepted;
        this.turnedAway = turnedAway;
        Sockets.checkKind(address, loop);
        Tls.checkIdentity(options, address);
        this.file = address.isUnix() ? new SocketFile(address.host()) : null;
    }

    Mono<Bootstrap.Listener> open() {
        return Mono.<Void>fromCallable(() -> {
                    if (file != null) {
                        file.removeStale();
                    }
                    return null;
                })
                .subscribeOn(Schedulers.boundedElastic())
                .then(Sockets.resolve(address))
                .flatMap(found -> server(found.get(0)).bind())
                .map(this::opened)
                .onErrorMap(failure -> !(failure instanceof WeirException), this::cantListen);
    }

    private TcpServer server(SocketAddress local) {
        TcpServer server = TcpServer.create()
                .runOn(LoopSockets.listening(loop, new ChosenLoops(loops, loop)), loop.onEpoll())
                .bindAddress(() -> local)
                .doOnChannelInit((observer, channel, remote) -> {
                    Sockets.configure(channel, options);
                    channel.pipeline().addFirst(new TcpInbound(this::open, this::accept));
                    Tls.accept(channel, options, address, turnedAway);
                });
        return options.receiveBuffer() > 0 && file == null
                // From the listener on, as the window's scale is agreed on before a connection is accepted.
                ? server.option(ChannelOption.SO_RCVBUF, options.receiveBuffer())
                : server;
    }

    private Bootstrap.Listener opened(DisposableServer server) {
        if (file != null) {
            try {
                file.protect();
                user = file.owner();
            } catch (IOException e) {
                server.dispose();
                throw new Misconfigured(address + " can't be protected from other users: " + e, e);
            }
        }
        // Before Reactor Netty's own, which pauses for a second and says nothing.
        server.channel().pipeline().addFirst(new AcceptPause(this::cantAccept, loop::schedule, loop::caught));
        return new OpenListener(server, boundTo(server));
    }

    private void cantAccept(Throwable cause) {
        warnings.warn("Who connects to " + address + " is not let in just now: " + cause.getMessage()
                + (isOutOfDescriptors(cause) ? "; raise this process's limit of open files (ulimit -n)" : ""));
    }

    private static boolean isOutOfDescriptors(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("Too many open files");
    }

    private PeerAddress boundTo(DisposableServer server) {
        return server.channel().localAddress() instanceof InetSocketAddress inet
                ? new PeerAddress(address.host(), inet.getPort())
                : address;
    }

    private TcpLink open(ChannelHandlerContext context) {
        checkUser(context.channel());
        Remote remote = Remote.acceptedFrom(context.channel().remoteAddress(), address);
        return new TcpLink(NettyLoop.current(), context, options, remote, new Greeting(remote.stranger(), false));
    }

    /** The file's mode keeps others out, if there is /proc also in the moment between its making and its protection. */
    private void checkUser(Channel channel) {
        if (channel instanceof EpollDomainSocketChannel unix) {
            int uid = uid(unix);
            if (uid != 0 && uid != user) {
                throw new SecurityException(
                        "uid " + uid + " has connected to " + address + ", which is open to uid " + user + " only");
            }
        }
    }

    private static int uid(EpollDomainSocketChannel unix) {
        try {
            return unix.peerCredentials().uid();
        } catch (IOException e) {
            throw new SecurityException("who has connected can't be told: " + e, e);
        }
    }

    private void accept(TcpLink link) {
        try {
            accepted.accept(link);
        } catch (Throwable e) {
            NettyLoop.current().linkFailed(e);
            LOG.error("A connection to {} was closed, as nobody could take it", address, e);
            link.close();
        }
    }

    private Misconfigured cantListen(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        String reason = String.valueOf(cause.getMessage());
        String remedy;
        if (cause instanceof UnknownHostException) {
            reason = "the host name is not known here";
            remedy = "name an address of this host";
        } else if (reason.contains("in use")) {
            remedy = "stop the process that listens there, or choose another address, or port 0 for any free one";
        } else if (reason.contains("assign")) {
            remedy = "name an address that an interface of this host has";
        } else {
            remedy = "choose another address";
        }
        return new Misconfigured(address + " can't be listened at: " + reason + "; " + remedy, failure);
    }

    private record OpenListener(DisposableServer server, PeerAddress address) implements Bootstrap.Listener {

        @Override
        public void dispose() {
            server.dispose();
        }

        @Override
        public boolean isDisposed() {
            return server.isDisposed();
        }
    }
}
