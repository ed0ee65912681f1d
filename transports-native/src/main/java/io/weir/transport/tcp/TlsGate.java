package io.weir.transport.tcp;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PeerUnavailable;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Between TLS and the link: whoever comes behind hears of the connection when the handshake has ended well, or never.
 */
final class TlsGate extends ChannelInboundHandlerAdapter {

    private final Function<Channel, Remote> remotes;
    private final BiConsumer<ChannelHandlerContext, PeerUnavailable> failed;
    private @Nullable Remote remote;
    private boolean open;
    private boolean over;

    /**
     * For one channel.
     *
     * @param remotes who the other end of a connected channel is
     * @param failed hears once that there is no TLS with it; the channel closes by itself
     */
    TlsGate(Function<Channel, Remote> remotes, BiConsumer<ChannelHandlerContext, PeerUnavailable> failed) {
        this.remotes = remotes;
        this.failed = failed;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        remote = remotes.apply(context.channel());
        // Nobody else asks for the first bytes where reading waits for a handler.
        context.read();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done) {
            if (done.isSuccess()) {
                opened(context);
            } else {
                failed(context, done.cause());
            }
        } else if (event instanceof SslCloseCompletionEvent && open) {
            // Nothing follows: as the end of the stream itself, which may be late.
            close(context);
        }
        context.fireUserEventTriggered(event);
    }

    private void opened(ChannelHandlerContext context) {
        open = true;
        context.pipeline().get(TlsFarewell.class).opened();
        SSLEngine engine = context.pipeline().get(SslHandler.class).engine();
        SSLSession session = engine.getSession();
        if (session.getProtocol().equals("TLSv1.2")) {
            // Each connection proves itself: one that takes up this session would live on a certificate that may have
            // expired.
            session.invalidate();
            // Nor is there a further handshake: what this one has shown stays so, and its costs are not asked for
            // again.
            engine.setEnableSessionCreation(false);
        }
        context.fireChannelActive();
    }

    private void failed(ChannelHandlerContext context, Throwable cause) {
        Remote from = remote;
        if (over || open || from == null) {
            return;
        }
        over = true;
        if (cause instanceof NotSslRecordException && from.accepted()) {
            refuseInPlainText(context);
        }
        failed.accept(context, TlsFailure.ofHandshake(from, cause));
    }

    /** In the words of a node without TLS, so that it can tell its user. */
    private static void refuseInPlainText(ChannelHandlerContext context) {
        Outbox plain = new Outbox(context.pipeline().context(SslHandler.class));
        plain.add(new Frame()
                .set(FrameKind.REFUSE, 0, 0, 0)
                .body(Unpooled.copiedBuffer(
                        "connections here use TLS; set weir.tls=on there as well", StandardCharsets.UTF_8)));
        plain.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (open) {
            context.fireExceptionCaught(
                    cause.getCause() instanceof SSLException broken
                            ? new SSLException(TlsFailure.why(broken), broken)
                            : cause);
        } else {
            failed(context, cause);
            close(context);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The channel tells its end by itself.
    private static void close(ChannelHandlerContext context) {
        context.close();
    }
}
