package io.weir.service.remote;

import io.weir.channel.CallInterceptor;
import io.weir.channel.CallOutcome;
import io.weir.channel.Calls;
import io.weir.channel.OutgoingCall;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * One call on its way, with all its tries. It begins when the answer is requested. One class instead of a chain of
 * operators: this is what each call pays.
 */
final class Call extends Deadlines.Entry implements CoreSubscriber<Message>, Subscription {

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    /** This and what is above it is the end. */
    private static final int OVER = 2;

    /** The deadline has ended it. */
    private static final int LATE = 3;

    private static final AtomicIntegerFieldUpdater<Call> STAGE =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "stage");
    private static final AtomicIntegerFieldUpdater<Call> AWAITED =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "awaited");
    private static final AtomicReferenceFieldUpdater<Call, @Nullable Binding> CALLED =
            AtomicReferenceFieldUpdater.newUpdater(Call.class, Binding.class, "called");

    private final CallingMethod method;
    private final @Nullable Object[] arguments;
    private final CoreSubscriber<? super Object> actual;
    private volatile int stage;
    private volatile @Nullable Subscription upstream;
    /** Who works for us, and knows that. */
    private volatile @Nullable Binding called;

    /** Who watches it, if somebody does. */
    private volatile @Nullable OutgoingCall watched;

    /** Who may lend us something. */
    private @Nullable Peer asked;

    private long end;
    private int sent;
    /** What the answer of this try says has failed. */
    private @Nullable Throwable refusal;
    /** What there still is to wait for, if the answer of this try is read elsewhere: that, and the end of the try. */
    private volatile int awaited;

    Call(CallingMethod method, @Nullable Object[] arguments, CoreSubscriber<? super Object> actual) {
        this.method = method;
        this.arguments = arguments;
        this.actual = actual;
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n) && STAGE.compareAndSet(this, IDLE, RUNNING)) {
            Duration deadline = method.deadline();
            if (deadline != null) {
                long nanos = deadline.toNanos();
                end = System.nanoTime() + nanos;
                Deadlines.SHARED.enter(this, nanos);
                if (isOver()) {
                    // Cancelled just before, or late already.
                    Deadlines.SHARED.leave(this);
                    watchOnly();
                    return;
                }
            }
            send();
        }
    }

    private void send() {
        sent++;
        try {
            Mono<Binding> next = method.bindings().next();
            Binding known = next instanceof Callable<?> ready ? (Binding) ready.call() : null;
            if (sent == 1 && method.interceptor() != null) {
                watch(method.interceptor(), known);
            }
            Mono<Message> answer = known == null ? next.flatMap(this::askLater) : ask(known);
            answer.subscribe(this);
        } catch (Throwable t) {
            Exceptions.throwIfJvmFatal(t);
            watchOnly();
            failed(t);
        }
    }

    /** A call that came to nothing before it was known whom to call is one nevertheless. */
    private void watchOnly() {
        if (sent < 2 && watched == null && method.interceptor() != null) {
            watch(method.interceptor(), null);
        }
    }

    private void watch(CallInterceptor interceptor, @Nullable Binding known) {
        watched = interceptor.calling(method.description(known), actual.currentContext());
        // Whoever has ended it meanwhile may not have seen that.
        switch (stage) {
            case OVER -> told(CallOutcome.CANCELLED, null);
            case LATE -> told(CallOutcome.ERROR, method.late());
            default -> {
                // It goes on.
            }
        }
    }

    private void told(CallOutcome outcome, @Nullable Throwable error) {
        OutgoingCall watcher = method.interceptor() == null ? null : watched;
        if (watcher != null) {
            watcher.ended(outcome, error);
        }
    }

    private Mono<Message> askLater(Binding binding) {
        return Mono.defer(() -> ask(binding));
    }

    private Mono<Message> ask(Binding binding) {
        Message request = method.request(binding, arguments, millisLeft());
        OutgoingCall watcher = method.interceptor() == null ? null : watched;
        if (watcher != null) {
            request = request.with(watcher.sending(method.description(binding), request.control()));
        }
        binding.callee().begun();
        called = binding;
        if (isOver()) {
            // Who has cancelled meanwhile may not have seen it.
            var unused = ended();
        }
        Peer peer = binding.peer();
        String port = binding.callee().port();
        if (method.method().lends()) {
            asked = peer;
            return Calls.ask(peer, port, request, late -> method.method().giveBack(late, peer));
        }
        Mono<Message> answer = Calls.ask(peer, port, request);
        return method.method().yieldsSlowly() ? Replies.later(answer.flux()).next() : answer;
    }

    private int millisLeft() {
        if (method.deadline() == null) {
            return 0;
        }
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        if (isOver()) {
            subscription.cancel();
            var unused = ended();
        } else {
            subscription.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(Message answer) {
        // The binding is gone when the call was cancelled or is late, be it a moment ago.
        Binding by = called;
        if (by == null) {
            nobodyReads(answer);
        } else if (asked == null && method.method().yieldsSlowly(answer.size())) {
            readLater(answer, by);
        } else {
            read(answer, by);
        }
    }

    private void nobodyReads(Message answer) {
        Peer lender = asked;
        try {
            if (lender != null) {
                method.method().giveBack(answer, lender);
            }
        } finally {
            answer.release();
        }
    }

    /** Elsewhere than on its loop, which has others to serve. */
    private void readLater(Message answer, Binding by) {
        awaited = 2;
        Calls.read(by.peer(), answer, method.values(by.peer()), (value, error) -> {
            if (value == null) {
                refusal = Exceptions.unwrap(Objects.requireNonNull(error));
            } else {
                answered(value);
            }
            tryEnded();
        });
    }

    private void tryEnded() {
        if (AWAITED.decrementAndGet(this) == 0) {
            end();
        }
    }

    private void read(Message answer, Binding by) {
        Object value;
        try {
            value = Replies.read(
                    method.method(), method.method().value(), method.thrown(), answer.payload(), by.peer());
        } catch (Throwable t) {
            // The end of this try comes next.
            refusal = t;
            return;
        } finally {
            answer.release();
        }
        answered(value);
    }

    private void answered(Object value) {
        if (over()) {
            var unused = ended();
            told(CallOutcome.SUCCESS, null);
            actual.onNext(value);
            actual.onComplete();
        }
    }

    @Override
    public void onComplete() {
        if (awaited == 0) {
            end();
        } else {
            tryEnded();
        }
    }

    private void end() {
        Throwable reason = refusal;
        if (reason != null) {
            refusal = null;
            // The other side has read what was lent, and gives it back itself.
            var unused = ended();
            repeatOrFail(reason);
        } else if (over()) {
            var unused = ended();
            told(CallOutcome.SUCCESS, null);
            actual.onComplete();
        }
    }

    @Override
    public void onError(Throwable error) {
        failed(error);
    }

    private void failed(Throwable error) {
        Binding by = ended();
        if (by != null && WeirException.mayRepeat(error)) {
            method.method().takeBack(arguments, by.peer());
        }
        repeatOrFail(error);
    }

    private void repeatOrFail(Throwable error) {
        Duration pause = stage == RUNNING ? method.pause(error, sent) : null;
        if (pause != null && (method.deadline() == null || pause.toNanos() < end - System.nanoTime())) {
            upstream = null;
            var unused = Schedulers.parallel().schedule(this::again, pause.toNanos(), TimeUnit.NANOSECONDS);
        } else if (over()) {
            told(CallOutcome.ERROR, error);
            actual.onError(error);
        }
    }

    private void again() {
        if (stage == RUNNING) {
            send();
        }
    }

    private boolean isOver() {
        return stage >= OVER;
    }

    /** Whether this ends it. */
    private boolean over() {
        return over(OVER);
    }

    private boolean over(int how) {
        int before;
        do {
            before = stage;
            if (before >= OVER) {
                return false;
            }
        } while (!STAGE.compareAndSet(this, before, how));
        if (method.deadline() != null) {
            Deadlines.SHARED.leave(this);
        }
        return true;
    }

    private @Nullable Binding ended() {
        Binding by = called == null ? null : CALLED.getAndSet(this, null);
        if (by != null) {
            by.callee().ended();
        }
        return by;
    }

    private void stop() {
        Subscription source = upstream;
        if (source != null) {
            source.cancel();
        }
        var unused = ended();
    }

    @Override
    public void cancel() {
        if (over()) {
            stop();
            told(CallOutcome.CANCELLED, null);
        }
    }

    @Override
    void expired() {
        if (over(LATE)) {
            stop();
            TimedOut late = method.late();
            told(CallOutcome.ERROR, late);
            actual.onError(late);
        }
    }
}
