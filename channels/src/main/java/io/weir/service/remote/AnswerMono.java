package io.weir.service.remote;

import io.weir.channel.CallOutcome;
import io.weir.channel.IncomingCall;
import io.weir.channel.Peer;
import io.weir.core.Message;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The answer to a call, of what the method has returned: a value, nothing or an error, or that the caller's time is
 * over.
 */
final class AnswerMono extends Mono<Message> {

    private final Publisher<?> outcome;
    private final ContractMethod method;
    private final Terms terms;
    private final Caller caller;
    private final int millisLeft;

    AnswerMono(Publisher<?> outcome, ContractMethod method, Terms terms, Caller caller, int millisLeft) {
        this.outcome = outcome;
        this.method = method;
        this.terms = terms;
        this.caller = caller;
        this.millisLeft = millisLeft;
    }

    /** For what the method has returned. */
    static Context context(Caller caller) {
        Context context = Context.of(Caller.class, caller);
        IncomingCall watched = caller.watched();
        return watched == null ? context : watched.context(context);
    }

    /** The caller has given up. */
    static Refusal late(ContractMethod method) {
        return new Refusal(CallLayout.LATE, method + " took too long");
    }

    @Override
    public void subscribe(CoreSubscriber<? super Message> actual) {
        Work work = new Work(actual);
        actual.onSubscribe(work);
        if (millisLeft > 0) {
            Deadlines.SHARED.enter(work, TimeUnit.MILLISECONDS.toNanos(millisLeft));
        }
        outcome.subscribe(work);
    }

    private final class Work extends Deadlines.Entry implements CoreSubscriber<Object>, Subscription {

        private static final int RUNNING = 0;
        /** A value has come, and is being written. */
        private static final int WRITING = 1;
        /** It was given away. Who cancels now has not sent it. */
        private static final int ANSWERED = 2;

        private static final int OVER = 3;

        private static final AtomicIntegerFieldUpdater<Work> STAGE =
                AtomicIntegerFieldUpdater.newUpdater(Work.class, "stage");

        private final CoreSubscriber<? super Message> actual;
        private volatile int stage;
        /** What has been written, and may have lent something. */
        private @Nullable Object written;

        private volatile @Nullable Subscription upstream;
        private final Context context;

        Work(CoreSubscriber<? super Message> actual) {
            this.actual = actual;
            this.context = context(caller);
        }

        private Peer peer() {
            return caller.peer();
        }

        private boolean end(int next) {
            if (!STAGE.compareAndSet(this, RUNNING, next)) {
                return false;
            }
            if (millisLeft > 0) {
                Deadlines.SHARED.leave(this);
            }
            return true;
        }

        private void stop() {
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                if (stage != RUNNING) {
                    subscription.cancel();
                } else {
                    subscription.request(Long.MAX_VALUE);
                }
            }
        }

        @Override
        public void onNext(Object value) {
            if (end(WRITING)) {
                caller.told(CallOutcome.SUCCESS, null);
                Message answer = Answers.value(method, value, terms, peer());
                written = CallLayout.isValue(answer) ? value : null;
                if (STAGE.compareAndSet(this, WRITING, ANSWERED)) {
                    answer(answer);
                } else {
                    answer.release();
                    takeBack();
                }
            } else {
                method.release(value);
            }
        }

        @Override
        public void onError(Throwable error) {
            if (end(OVER)) {
                caller.told(CallOutcome.ERROR, error);
                answer(Answers.thrown(error, terms, peer()));
            }
        }

        @Override
        public void onComplete() {
            if (end(OVER)) {
                caller.told(CallOutcome.SUCCESS, null);
                actual.onComplete();
            }
        }

        @Override
        void expired() {
            if (end(OVER)) {
                stop();
                Refusal late = late(method);
                caller.told(CallOutcome.ERROR, late);
                answer(Answers.thrown(late, terms, peer()));
            }
        }

        private void answer(Message answer) {
            actual.onNext(answer);
            actual.onComplete();
        }

        @Override
        public void request(long n) {
            // There is one answer, and who asks waits for it.
        }

        @Override
        public void cancel() {
            if (end(OVER)) {
                stop();
                caller.told(CallOutcome.CANCELLED, null);
            } else if (STAGE.getAndSet(this, OVER) == ANSWERED) {
                takeBack();
            }
        }

        private void takeBack() {
            Object value = written;
            if (value != null) {
                method.takeBack(value, peer());
            }
        }
    }
}
