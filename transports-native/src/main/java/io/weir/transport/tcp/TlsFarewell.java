package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Nearest to the socket: after a handshake that has failed, ends our side of the stream first and waits for the other
 * one, which may still be sending. Closed at once, the kernel would reset the connection, and why we do not go on would
 * not arrive.
 */
final class TlsFarewell extends ChannelDuplexHandler {

    /** A peer that lives has read one short record by then. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private boolean open;
    private boolean leaving;

    /** The handshake has ended well: from now on the link itself says how the stream ends. */
    void opened() {
        open = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (leaving) {
            ReferenceCountUtil.release(message);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // The channel tells its end by itself.
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        Channel channel = context.channel();
        if (open || !channel.isActive()) {
            context.close(promise);
            return;
        }
        channel.closeFuture().addListener(closed -> promise.trySuccess());
        if (!leaving) {
            leaving = true;
            context.flush();
            ((DuplexChannel) channel).shutdownOutput();
            channel.config().setAutoRead(true);
            Future<?> limit =
                    context.executor().schedule(() -> end(context), PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> limit.cancel(false));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The channel tells its end by itself.
    private static void end(ChannelHandlerContext context) {
        context.close();
    }
}
