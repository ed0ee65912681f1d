package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Message;
import java.util.function.Function;
import org.reactivestreams.Publisher;

/** Answers requests by a function. */
final class AnswerHandler implements PortHandler {

    private final Function<? super Message, ? extends Publisher<Message>> handler;

    AnswerHandler(Function<? super Message, ? extends Publisher<Message>> handler) {
        this.handler = handler;
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
        new Answerer(channel, handler).start();
    }

    @Override
    public void closed() {
        // Channels that are open go on; new ones find nobody.
    }
}
