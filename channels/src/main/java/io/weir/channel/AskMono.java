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

    private final Session session;
    private final String port;
    private final Message message;
    private final boolean awaitsAnswer;
    private final @Nullable Consumer<? super Message> late;
    private final AtomicBoolean used = new AtomicBoolean();

    AskMono(
            Session session,
            String port,
            Message message,
            boolean awaitsAnswer,
            @Nullable Consumer<? super Message> late) {
        this.session = session;
        this.port = port;
        this.message = message;
        this.awaitsAnswer = awaitsAnswer;
        this.late = late;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Message> actual) {
        if (used.compareAndSet(false, true)) {
            actual.onSubscribe(new Ask(session, port, message, awaitsAnswer, late, actual));
        } else {
            Operators.error(actual, used(port));
        }
    }

    /** For who subscribes to a request again. */
    static IllegalStateException used(String port) {
        return new IllegalStateException("this request to port '" + port
                + "' was sent already, and its message given away; to repeat it, wrap it in Mono.defer");
    }
}
