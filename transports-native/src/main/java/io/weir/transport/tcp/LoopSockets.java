package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.weir.transport.loop.NettyLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.resources.LoopResources;

/** Makes Reactor Netty use our loops, and the sockets that go with them. */
final class LoopSockets implements LoopResources {

    private static final Logger LOG = LoggerFactory.getLogger(LoopSockets.class);

    private static final int SOL_SOCKET = 1;
    private static final IntegerUnixChannelOption PASS_RIGHTS =
            new IntegerUnixChannelOption("SO_PASSRIGHTS", SOL_SOCKET, 83);

    private final NettyLoop loop;
    private final EventLoopGroup children;

    private LoopSockets(NettyLoop loop, EventLoopGroup children) {
        this.loop = loop;
        this.children = children;
    }

    /** Connections that live on this loop. */
    static LoopSockets connecting(NettyLoop loop) {
        return new LoopSockets(loop, loop.eventLoop());
    }

    /** A listener that lives on this loop; its connections live on what the group says for each. */
    static LoopSockets listening(NettyLoop loop, EventLoopGroup children) {
        return new LoopSockets(loop, children);
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return children;
    }

    @Override
    public EventLoopGroup onServerSelect(boolean useNative) {
        return loop.eventLoop();
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        return type.cast(loop.opened(newChannel(type)));
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        throw new UnsupportedOperationException("only channels are made here");
    }

    private Channel newChannel(Class<?> type) {
        if (type == SocketChannel.class) {
            return loop.onEpoll() ? new EpollSocketChannel() : new NioSocketChannel();
        }
        if (type == ServerSocketChannel.class) {
            return loop.onEpoll() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
        }
        if (loop.onEpoll() && type == DomainSocketChannel.class) {
            return refusing(new EpollDomainSocketChannel());
        }
        if (loop.onEpoll() && type == ServerDomainSocketChannel.class) {
            return refusing(protectedFile(new EpollServerDomainSocketChannel()));
        }
        throw new UnsupportedOperationException("no " + type.getSimpleName() + " on the loop " + loop.name());
    }

    /**
     * Has the system refuse descriptors that a process wants to pass to this socket, or to one that it accepts, where
     * it can. Else they are closed where the bytes are read that they come with, or the socket is closed, on the loop;
     * and that takes as long as that process likes.
     */
    private static <C extends Channel> C refusing(C socket) {
        try {
            if (!socket.config().setOption(PASS_RIGHTS, 0)) {
                throw new IllegalStateException(PASS_RIGHTS + " is unknown to " + socket.getClass());
            }
        } catch (ChannelException e) {
            LOG.debug(
                    "This system does not let a socket refuse descriptors, as Linux does since 6.16: {}",
                    e.getMessage());
        }
        return socket;
    }

    /**
     * The file that this socket is going to be bound to will be of this mode from its beginning, and no moment is left
     * for others.
     */
    private static EpollServerDomainSocketChannel protectedFile(EpollServerDomainSocketChannel socket) {
        try {
            Files.setPosixFilePermissions(
                    Path.of("/proc/self/fd/" + socket.fd().intValue()), PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            LOG.debug("The file of a socket gets its mode only when it is there", e);
        }
        return socket;
    }
}
