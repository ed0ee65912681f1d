package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.weir.transport.loop.NettyLoop;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** First in the pipeline: bytes end here, before Reactor Netty would turn each read into a signal. */
final class TcpInbound extends ChannelInboundHandlerAdapter {

    private final Function<ChannelHandlerContext, TcpLink> open;
    private final Consumer<TcpLink> opened;
    private @Nullable TcpLink link;

    /**
     * For one channel.
     *
     * @param open makes the link when the channel is connected; an exception closes the channel
     * @param opened gets the link when everyone else knows that the channel is connected
     */
    TcpInbound(Function<ChannelHandlerContext, TcpLink> open, Consumer<TcpLink> opened) {
        this.open = open;
        this.opened = opened;
    }

    /** The link of this channel, which must be connected. */
    TcpLink link() {
        return Objects.requireNonNull(link, "the channel is not connected");
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        TcpLink made = open.apply(context);
        link = made;
        context.fireChannelActive();
        opened.accept(made);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        link().received((ByteBuf) message);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        TcpLink writing = link;
        if (writing != null) {
            writing.roomChanged();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        NettyLoop.current().linkFailed(cause);
        TcpLink broken = link;
        if (broken == null) {
            context.fireExceptionCaught(cause);
            closed(context);
        } else {
            fail(broken, cause);
        }
    }

    private static void fail(TcpLink broken, Throwable cause) {
        try {
            broken.failed(cause);
        } catch (OutOfMemoryError | LinkageError e) {
            // All that wait for the end of this link would wait for ever.
            NettyLoop.current().caught(e);
            throw e;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        TcpLink ending = link;
        if (ending != null) {
            ending.ended();
        }
        context.fireChannelInactive();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The channel tells its end by itself.
    private static void closed(ChannelHandlerContext context) {
        context.close();
    }
}
