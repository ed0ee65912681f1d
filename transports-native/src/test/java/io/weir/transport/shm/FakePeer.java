package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.Nonce;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jnr.ffi.LibraryLoader;

/** The socket of somebody who connects to a rendezvous and says what the test wants. */
final class FakePeer {

    private final EpollDomainSocketChannel socket = new EpollDomainSocketChannel();
    private final BlockingQueue<byte[]> heard = new LinkedBlockingQueue<>();
    private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

    FakePeer(NettyLoop loop, String path) {
        socket.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object read) {
                ByteBuf bytes = (ByteBuf) read;
                heard.add(ByteBufUtil.getBytes(bytes));
                bytes.release();
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                // Whoever was sent away is told that what it has said was not read.
                closed.complete(true);
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                closed.complete(true);
            }
        });
        CompletableFuture<Boolean> connected = new CompletableFuture<>();
        OnLoop.run(loop, () -> {
            EventLoop here = loop.eventLoop();
            var unused = here.register(socket);
            var unusedStep = socket.connect(new DomainSocketAddress(path))
                    .addListener(done -> connected.complete(done.isSuccess()));
        });
        assertThat(OnLoop.await(connected)).isTrue();
    }

    static byte[] greeting(Nonce nonce) {
        return ByteBufUtil.getBytes(
                Unpooled.buffer().writeLongLE(SegmentLayout.MAGIC).writeBytes(nonce.bytes()));
    }

    int descriptor() {
        return socket.fd().intValue();
    }

    void say(byte[] bytes) {
        socket.writeAndFlush(Unpooled.wrappedBuffer(bytes)).syncUninterruptibly();
    }

    void pass(Descriptor descriptor) {
        socket.writeAndFlush(new FileDescriptor(descriptor.number())).syncUninterruptibly();
        descriptor.close();
    }

    byte[] hear() throws InterruptedException {
        byte[] bytes = heard.poll(30, TimeUnit.SECONDS);
        assertThat(bytes).isNotNull();
        return bytes;
    }

    /** From now on nothing is read here, and calls on our end may wait. */
    void deafAndBlocking() {
        socket.config().setAutoRead(false);
        LibC libc = LibraryLoader.create(LibC.class).load("c");
        assertThat(libc.fcntl(descriptor(), LibC.F_SETFL, 0)).isZero();
    }

    void expectSentAway() {
        boolean sentAway = OnLoop.await(closed);
        assertThat(sentAway).isTrue();
    }

    void close() {
        socket.close().syncUninterruptibly();
    }
}
