package io.weir.channel;

import io.weir.core.Message;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** What {@link Channel#send} returns: sending begins when this is subscribed to. */
final class SendMono extends Mono<Void> {

    private final Channel channel;
    private final Publisher<Message> source;
    private final boolean confirm;

    SendMono(Channel channel, Publisher<Message> source, boolean confirm) {
        this.channel = channel;
        this.source = source;
        this.confirm = confirm;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        Sender sender = new Sender(channel, actual, confirm);
        actual.onSubscribe(sender);
        channel.execute(() -> sender.start(source));
    }
}
