package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Message;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.reactivestreams.Publisher;

/** Answers requests by a function. */
final class AnswerHandler implements PortHandler {

    private final BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler;
    private final Ports ports;
    private final boolean watched;
    private final Set<Answerer> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    AnswerHandler(Ports ports, BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler) {
        this(ports, handler, true);
    }

    /** @param watched whether interceptors see the requests */
    AnswerHandler(
            Ports ports,
            BiFunction<? super Peer, ? super Message, ? extends Publisher<Message>> handler,
            boolean watched) {
        this.ports = ports;
        this.handler = handler;
        this.watched = watched;
    }

    @Override
    public void opened(Channel channel, boolean requests) {
        if (!requests) {
            channel.refuse(
                    ErrorCode.REFUSED,
                    "port '" + channel.port() + "' answers requests: use ask or tell, channels are not served there");
            return;
        }
        channel.accept();
        Answerer answerer = new Answerer(channel, ports, handler, watched ? ports.interceptor() : null, open::remove);
        open.add(answerer);
        answerer.start();
        if (closed) {
            answerer.close();
        }
    }

    @Override
    public void closed() {
        closed = true;
        open.forEach(Answerer::close);
    }
}
