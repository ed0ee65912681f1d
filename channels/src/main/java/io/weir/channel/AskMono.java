package io.weir.channel;

import io.weir.core.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** A request as a {@code Mono} for one subscription, because the message is given away when it is sent. */
final class AskMono extends Mono<Message> {

    private final ConnectedPeer peer;
    private final String port;
    private final Message message;
    private final boolean awaitsAnswer;
    private final @Nullable Consumer<? super Message> late;
    private final @Nullable CallInterceptor interceptor;
    private final AtomicBoolean used = new AtomicBoolean();

    AskMono(
            ConnectedPeer peer,
            String port,
            Message message,
            boolean awaitsAnswer,
            @Nullable Consumer<? super Message> late,
            @Nullable CallInterceptor interceptor) {
        this.peer = peer;
        this.port = port;
        this.message = message;
        this.awaitsAnswer = awaitsAnswer;
        this.late = late;
        this.interceptor = interceptor;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Message> actual) {
        if (!used.compareAndSet(false, true)) {
            Operators.error(actual, used(port));
        } else if (interceptor == null) {
            begin(message, actual);
        } else {
            begin(interceptor, actual);
        }
    }

    private void begin(CallInterceptor watchedBy, CoreSubscriber<? super Message> actual) {
        CallDescription call = new CallDescription(awaitsAnswer ? CallKind.ASK : CallKind.TELL, peer, port, null);
        OutgoingCall watched = watchedBy.calling(call, actual.currentContext());
        if (watched == null) {
            begin(message, actual);
        } else {
            begin(message.with(watched.sending(call, message.control())), new Watching<>(watched, true, actual));
        }
    }

    private void begin(Message request, CoreSubscriber<? super Message> actual) {
        actual.onSubscribe(new Ask(peer.askers(), port, request, null, awaitsAnswer, late, actual));
    }

    /** For who subscribes to a request again. */
    static IllegalStateException used(String port) {
        return new IllegalStateException("this request to port '" + port
                + "' was sent already, and its message given away; to repeat it, wrap it in Mono.defer");
    }
}
