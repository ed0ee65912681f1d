package io.weir.channel;

import io.weir.core.Frame;
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
    /** What is to be sent instead of a message. */
    private @Nullable UnsentValue<?> value;

    private @Nullable Asker asker;
    private boolean started;
    private boolean done;
    int number;
    /** On the clock of {@link System#nanoTime()}; only of those that are sampled. */
    long sentAt;

    /**
     * @param message what is sent, or null
     * @param value what is sent if there is no message; only from the loop
     * @param late sees an answer that comes behind the cancel, and leaves its release to the caller; null: nobody wants
     * to
     */
    Ask(
            Askers askers,
            String port,
            @Nullable Message message,
            @Nullable UnsentValue<?> value,
            boolean awaitsAnswer,
            @Nullable Consumer<? super Message> late,
            CoreSubscriber<? super Message> actual) {
        this.session = askers.session();
        this.askers = askers;
        this.port = port;
        this.message = message;
        this.value = value;
        this.awaitsAnswer = awaitsAnswer;
        this.late = late;
        this.actual = actual;
    }

    boolean awaitsAnswer() {
        return awaitsAnswer;
    }

    /** Whether nothing was taken yet. */
    boolean isUnsent() {
        return message != null || value != null;
    }

    /**
     * Sends its value, if that can go now without a message; {@link #take} has one otherwise. What the codec throws is
     * thrown on.
     */
    boolean sendsAtOnce(Outbound outbound, int flags) {
        UnsentValue<?> its = value;
        if (its == null || !its.sendsAtOnce(outbound, flags, number)) {
            return false;
        }
        value = null;
        return true;
    }

    /** Makes a message of its value, if that was not sent: who has subscribed may change the value from now on. */
    void keep() {
        try {
            encode();
        } catch (Throwable t) {
            if (asker != null) {
                asker.abandon(this);
            }
            failWith(t);
        }
    }

    /** By what a codec has thrown; what the JVM can't go on with is thrown on. */
    void failWith(Throwable thrown) {
        fail(thrown);
        if (thrown instanceof VirtualMachineError error) {
            throw error;
        }
    }

    private void encode() {
        UnsentValue<?> its = value;
        if (its == null) {
            return;
        }
        value = null;
        Message made = its.message(session.allocator());
        if (done) {
            // The codec has led to a cancel, or to the end of the session.
            made.release();
        } else {
            message = made;
        }
    }

    /** Hands the message over to its sender. What a codec throws is thrown on. */
    @Nullable
    Message take() {
        encode();
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

    /** Whether who has asked reads answers where they lie, and can do so now. */
    boolean takesContent() {
        return !done && actual instanceof Decoding<?> decoding && decoding.isInPlace() && decoding.takesContent();
    }

    /** The answer is the body of this frame, which is lent. Only if it {@link #takesContent}. */
    void content(Frame answer) {
        done = true;
        try {
            ((Decoding<?>) actual).content(answer);
            actual.onComplete();
        } catch (Throwable t) {
            subscriberFailed(t);
        }
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
            subscriberFailed(t);
        }
    }

    /**
     * It breaks the rules of subscribers, or has met what Reactor calls fatal: others, whose answers come by the same
     * channel, have no part in it.
     */
    private void subscriberFailed(Throwable failure) {
        Logs.PORTS.error(
                "Who has asked port '{}' of {} has failed with what came of it", port, session.peerId(), failure);
    }

    private void drop() {
        value = null;
        Message unsent = take();
        if (unsent != null) {
            unsent.release();
        }
    }
}
