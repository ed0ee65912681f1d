package io.weir.channel;

import io.weir.core.Message;
import io.weir.core.WeirException;
import io.weir.path.Logs;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One request on its way, or one message that awaits no answer. It starts when the answer is requested, so that the
 * answer never lacks demand. Loop thread only, but for {@link #request} and {@link #cancel}.
 */
final class Ask implements Subscription {

    private final Session session;
    private final Askers askers;
    private final String port;
    private final boolean awaitsAnswer;
    private final CoreSubscriber<? super Message> actual;
    private final @Nullable Consumer<? super Message> late;
    private @Nullable Message message;
    private @Nullable Asker asker;
    private boolean started;
    private boolean done;
    int number;
    /** On the clock of {@link System#nanoTime()}; only of those that are sampled. */
    long sentAt;

    /**
     * @param late sees an answer that comes behind the cancel, and leaves its release to the caller; null: nobody wants
     * to
     */
    Ask(
            Askers askers,
            String port,
            Message message,
            boolean awaitsAnswer,
            @Nullable Consumer<? super Message> late,
            CoreSubscriber<? super Message> actual) {
        this.session = askers.session();
        this.askers = askers;
        this.port = port;
        this.message = message;
        this.awaitsAnswer = awaitsAnswer;
        this.late = late;
        this.actual = actual;
    }

    boolean awaitsAnswer() {
        return awaitsAnswer;
    }

    /** Hands the message over to its sender. */
    @Nullable
    Message take() {
        Message taken = message;
        message = null;
        return taken;
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            session.execute(this::start);
        }
    }

    private void start() {
        if (started || done) {
            return;
        }
        started = true;
        WeirException refusal = session.refusal(port);
        if (refusal != null) {
            fail(refusal);
            return;
        }
        asker = askers.of(port);
        asker.ask(this);
    }

    @Override
    public void cancel() {
        session.execute(() -> {
            if (!done) {
                done = true;
                drop();
                if (asker != null) {
                    asker.abandon(this);
                }
            }
        });
    }

    boolean done() {
        return done;
    }

    boolean seesLateAnswer() {
        return late != null;
    }

    void lateAnswer(Message answer) {
        if (late != null) {
            late.accept(answer);
        }
    }

    void answer(Message answer) {
        if (done) {
            try {
                lateAnswer(answer);
            } finally {
                answer.release();
            }
            return;
        }
        end(answer, null);
    }

    void complete() {
        if (!done) {
            end(null, null);
        }
    }

    void fail(Throwable error) {
        if (!done) {
            drop();
            end(null, error);
        }
    }

    private void end(@Nullable Message answer, @Nullable Throwable error) {
        done = true;
        try {
            if (answer != null) {
                actual.onNext(answer);
            }
            if (error == null) {
                actual.onComplete();
            } else {
                actual.onError(error);
            }
        } catch (Throwable t) {
            // Breaks the rules of subscribers, or has met what Reactor calls fatal: others, whose answers come by the
            // same channel, have no part in it.
            Logs.PORTS.error(
                    "Who has asked port '{}' of {} has failed with what came of it", port, session.peerId(), t);
        }
    }

    private void drop() {
        Message unsent = take();
        if (unsent != null) {
            unsent.release();
        }
    }
}
