package io.weir.hostile;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Passes TCP connections over Unix-domain sockets: whoever closes one last waits for ten minutes, or until this is
 * closed.
 */
final class Passer implements AutoCloseable {

    private static final int LINGER_SECONDS = 600;
    private static final int PLENTY = 16 << 20;
    private static final int LIMIT_SECONDS = 10;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final List<Socket> deaf = new ArrayList<>();

    private final Target target;

    Passer(Target target) throws IOException {
        this.target = target;
    }

    /**
     * Says this at a socket, awaits an answer if one is due, and passes a connection there. Waits for the end, unless
     * that does not come.
     */
    void pass(String path, byte[] first, boolean answered) throws IOException, InterruptedException {
        CountDownLatch answer = new CountDownLatch(answered ? 1 : 0);
        Channel socket = new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ReferenceCountUtil.release(message);
                        answer.countDown();
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                        var unused = context.close();
                    }
                })
                .connect(new DomainSocketAddress(path))
                .sync()
                .channel();
        socket.writeAndFlush(Unpooled.wrappedBuffer(first)).sync();
        if (!answer.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no answer at " + path);
        }
        EpollSocketChannel lingering = lingering();
        // Whoever closes it last waits: so that this is not us, the node gets it when we have closed it.
        target.stop();
        try {
            boolean passed = socket.writeAndFlush(
                            new FileDescriptor(lingering.fd().intValue()))
                    .await()
                    .isSuccess();
            if (!passed) {
                hangUp(deaf.remove(deaf.size() - 1));
            }
            lingering.fd().close();
        } finally {
            target.goOn();
        }
        var unusedEnd = socket.closeFuture().await(1, TimeUnit.SECONDS);
    }

    private EpollSocketChannel lingering() throws IOException, InterruptedException {
        Channel near = new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.SO_LINGER, LINGER_SECONDS)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.getLocalSocketAddress())
                .sync()
                .channel();
        deaf.add(listener.accept());
        var unused = near.writeAndFlush(Unpooled.wrappedBuffer(new byte[PLENTY]));
        near.deregister().sync();
        return (EpollSocketChannel) near;
    }

    private static void hangUp(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        for (Socket each : deaf) {
            hangUp(each);
        }
        listener.close();
        var unused = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}
