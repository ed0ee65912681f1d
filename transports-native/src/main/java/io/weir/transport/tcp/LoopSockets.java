package io.weir.transport.tcp;

import io.netty.channel.Channel;
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
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.weir.transport.loop.NettyLoop;
import reactor.netty.resources.LoopResources;

/** Makes Reactor Netty use our loops, and the sockets that go with them. */
final class LoopSockets implements LoopResources {

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
            return new EpollDomainSocketChannel();
        }
        if (loop.onEpoll() && type == ServerDomainSocketChannel.class) {
            return new EpollServerDomainSocketChannel();
        }
        throw new UnsupportedOperationException("no " + type.getSimpleName() + " on the loop " + loop.name());
    }
}
