package io.weir.channel;

import io.weir.core.Message;
import java.util.Objects;
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
    private final @Nullable Message message;
    private final @Nullable UnsentValue<?> value;
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
        this(peer, port, message, null, awaitsAnswer, late, interceptor);
    }

    /** A request with a value, for a subscriber that has the loop. */
    AskMono(ConnectedPeer peer, String port, UnsentValue<?> value) {
        this(peer, port, null, value, true, null, null);
    }

    private AskMono(
            ConnectedPeer peer,
            String port,
            @Nullable Message message,
            @Nullable UnsentValue<?> value,
            boolean awaitsAnswer,
            @Nullable Consumer<? super Message> late,
            @Nullable CallInterceptor interceptor) {
        this.peer = peer;
        this.port = port;
        this.message = message;
        this.value = value;
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
            begin(interceptor, Objects.requireNonNull(message), actual);
        }
    }

    private void begin(CallInterceptor watchedBy, Message request, CoreSubscriber<? super Message> actual) {
        CallDescription call = new CallDescription(awaitsAnswer ? CallKind.ASK : CallKind.TELL, peer, port, null);
        OutgoingCall watched = watchedBy.calling(call, actual.currentContext());
        if (watched == null) {
            begin(request, actual);
        } else {
            begin(request.with(watched.sending(call, request.control())), new Watching<>(watched, true, actual));
        }
    }

    private void begin(@Nullable Message request, CoreSubscriber<? super Message> actual) {
        Ask ask = new Ask(peer.askers(), port, request, value, awaitsAnswer, late, actual);
        actual.onSubscribe(ask);
        if (value != null) {
            ask.keep();
        }
    }

    /** For who subscribes to a request again. */
    static IllegalStateException used(String port) {
        return new IllegalStateException("this request to port '" + port
                + "' was sent already, and its message given away; to repeat it, wrap it in Mono.defer");
    }
}
