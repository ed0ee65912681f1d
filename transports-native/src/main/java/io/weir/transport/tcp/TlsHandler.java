package io.weir.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;

/** Netty's handler, over a {@link TlsEngine}. What fails elsewhere when the channel has ended is nobody's any more. */
final class TlsHandler extends SslHandler {

    /** @param elsewhere where certificates and keys are computed with */
    TlsHandler(SSLEngine engine, Executor elsewhere) {
        super(new TlsEngine(engine), false, elsewhere);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        // Those behind are gone as well, so it would only be logged, with its stack, as often as a stranger likes.
        if (!context.isRemoved()) {
            super.exceptionCaught(context, cause);
        }
    }
}
