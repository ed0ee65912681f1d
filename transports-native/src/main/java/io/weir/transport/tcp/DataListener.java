package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.stream.Greeting;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A listener for the connections of one attempt, which all live on its own loop. Loop thread only. */
final class DataListener {

    private final Channel listening;

    private DataListener(Channel listening) {
        this.listening = listening;
    }

    /**
     * Listens from now on.
     *
     * @param address an IP address of ours, with port 0
     * @param opened gets each new link
     * @throws Misconfigured if it can't
     */
    static DataListener open(PeerAddress address, TcpOptions options, NettyLoop loop, Consumer<TcpLink> opened) {
        Tls.checkIdentity(options, address);
        Channel channel = LoopSockets.connecting(loop).onChannel(ServerSocketChannel.class, loop.eventLoop());
        channel.pipeline().addLast(new Acceptor(address, options, loop, opened));
        if (options.receiveBuffer() > 0) {
            channel.config().setOption(ChannelOption.SO_RCVBUF, options.receiveBuffer());
        }
        // Both are done when they return, as this is the loop's thread.
        EventLoopGroup here = loop.eventLoop();
        ChannelFuture bound = here.register(channel);
        if (bound.isSuccess()) {
            bound = channel.bind(new InetSocketAddress(TcpOptions.literal(address.host()), address.port()));
        }
        if (!bound.isSuccess()) {
            DataListener failed = new DataListener(channel);
            failed.close();
            throw new Misconfigured(
                    "data-address=" + address + " can't be listened at: " + bound.cause()
                            + "; name an address that an interface of this host has",
                    bound.cause());
        }
        return new DataListener(channel);
    }

    /** Where it listens. */
    PeerAddress address() {
        return Remote.of((InetSocketAddress) listening.localAddress());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Nothing depends on its end.
    void close() {
        listening.close();
    }

    private static final class Acceptor extends ChannelInboundHandlerAdapter {

        private final PeerAddress address;
        private final TcpOptions options;
        private final NettyLoop loop;
        private final Consumer<TcpLink> opened;

        Acceptor(PeerAddress address, TcpOptions options, NettyLoop loop, Consumer<TcpLink> opened) {
            this.address = address;
            this.options = options;
            this.loop = loop;
            this.opened = opened;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // On its loop's thread: it is done when it returns.
        public void channelRead(ChannelHandlerContext context, Object message) {
            Channel child = (Channel) message;
            child.config().setAutoRead(false);
            Sockets.configure(child, options);
            child.pipeline().addLast(new TcpInbound(this::open, opened));
            Tls.accept(child, options, address, (from, reason) -> {});
            EventLoopGroup here = loop.eventLoop();
            here.register(child);
        }

        private TcpLink open(ChannelHandlerContext context) {
            Remote remote = Remote.acceptedFrom(context.channel().remoteAddress(), address);
            return new TcpLink(loop, context, options, remote, new Greeting(remote.stranger(), false));
        }
    }
}
