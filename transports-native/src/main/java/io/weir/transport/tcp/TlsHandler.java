package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Netty's handler, over a {@link TlsEngine}. What fails elsewhere when the channel has ended is nobody's any more. */
final class TlsHandler extends SslHandler {

    /** The first bytes were looked at, and are no {@link PlainRefusal}. */
    private boolean begun;

    /** @param elsewhere where certificates and keys are computed with */
    TlsHandler(SSLEngine engine, Executor elsewhere) {
        super(new TlsEngine(engine), false, elsewhere);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws SSLException {
        if (!begun && engine().getUseClientMode()) {
            if (PlainRefusal.needsMore(in)) {
                return;
            }
            PlainRefusal refusal = PlainRefusal.of(in);
            if (refusal != null) {
                in.skipBytes(in.readableBytes());
                throw refusal;
            }
        }
        begun = true;
        super.decode(context, in, out);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        // Those behind are gone as well, so it would only be logged, with its stack, as often as a stranger likes.
        if (!context.isRemoved()) {
            super.exceptionCaught(context, cause);
        }
    }
}
