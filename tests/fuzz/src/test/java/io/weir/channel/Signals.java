package io.weir.channel;

import io.netty.util.ReferenceCountUtil;
import io.weir.core.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that looks whether the rules of Reactive Streams are kept towards it. */
final class Signals<T> implements CoreSubscriber<T> {

    private final String name;
    /** Gets each value, and owns it. */
    private final Consumer<T> values;
    /** What it says when something is wrong. */
    private final Consumer<String> wrong;

    final List<Throwable> errors = new ArrayList<>();
    final ArrayDeque<Message> kept = new ArrayDeque<>();

    /** Of the channel whose messages these are. */
    @Nullable
    Channel channel;

    private @Nullable Subscription subscription;
    /** Values so far. */
    int got;

    private long demand;
    private boolean signalling;
    private int ends;
    boolean cancelled;

    Signals(String name, Consumer<String> wrong, Consumer<T> values) {
        this.name = name;
        this.wrong = wrong;
        this.values = values;
    }

    boolean over() {
        return ends > 0 || cancelled;
    }

    boolean ended() {
        return ends > 0;
    }

    void request(long n) {
        Subscription to = subscription;
        if (to != null && n > 0) {
            demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
            to.request(n);
        }
    }

    void cancel() {
        Subscription to = subscription;
        if (to != null) {
            cancelled = true;
            to.cancel();
        }
    }

    @Override
    public void onSubscribe(Subscription its) {
        check(subscription == null, "a second subscription");
        subscription = its;
    }

    @Override
    public void onNext(T value) {
        check(subscription != null, "a value before the subscription");
        check(ends == 0, "a value behind the end");
        check(!cancelled, "a value behind the cancellation, on the same thread");
        check(demand > 0, "a value that was not asked for");
        check(!signalling, "a value within another signal");
        if (demand != Long.MAX_VALUE) {
            demand--;
        }
        got++;
        signalling = true;
        try {
            values.accept(value);
        } finally {
            signalling = false;
        }
    }

    @Override
    public void onError(Throwable error) {
        end();
        errors.add(error);
    }

    @Override
    public void onComplete() {
        end();
    }

    private void end() {
        check(subscription != null, "an end before the subscription");
        check(ends == 0, "a second end");
        check(!cancelled, "an end behind the cancellation, on the same thread");
        ends++;
    }

    void check(boolean right, String what) {
        if (!right) {
            wrong.accept(name + " gets " + what);
        }
    }

    static void release(Object value) {
        ReferenceCountUtil.release(value);
    }

    @Override
    public String toString() {
        return name;
    }
}
