package io.weir.integration;

import io.weir.core.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscriber that asks for what the test tells it to, hands values on, and holds its publisher to the rules: no value
 * that was not asked for, one signal at a time, one last signal, nothing after it.
 */
public final class Probe<T> implements CoreSubscriber<T> {

    private final Consumer<? super T> values;
    private final long atFirst;
    private @Nullable Subscription subscription;
    private long requested;
    private long received;
    private boolean inSignal;
    private boolean cancelled;
    private boolean completed;
    private @Nullable Throwable error;
    private final List<String> violations = new ArrayList<>();

    private Probe(long atFirst, Consumer<? super T> values) {
        this.values = values;
        this.atFirst = atFirst;
    }

    /** Asks for this many at once when it subscribes; 0 for none. */
    public static <T> Probe<T> of(long atFirst, Consumer<? super T> values) {
        return new Probe<>(atFirst, values);
    }

    /** Asks for this many at once, and releases what it gets. */
    public static Probe<Message> releasing(long atFirst) {
        return new Probe<>(atFirst, Message::release);
    }

    /** Waits for the last signal of something that has no values. */
    public static Probe<Void> end() {
        return new Probe<>(Long.MAX_VALUE, nothing -> {});
    }

    @Override
    public void onSubscribe(Subscription its) {
        synchronized (this) {
            if (subscription != null) {
                violations.add("onSubscribe twice");
            }
            subscription = its;
            notifyAll();
        }
        if (atFirst > 0) {
            request(atFirst);
        }
    }

    @Override
    public void onNext(T value) {
        enter("onNext");
        synchronized (this) {
            received++;
            if (received > requested) {
                violations.add("value " + received + " with " + requested + " requested");
            }
        }
        try {
            values.accept(value);
        } finally {
            leave();
        }
    }

    @Override
    public void onError(Throwable reason) {
        enter("onError " + reason);
        synchronized (this) {
            error = reason;
        }
        leave();
    }

    @Override
    public void onComplete() {
        enter("onComplete");
        synchronized (this) {
            completed = true;
        }
        leave();
    }

    private synchronized void enter(String signal) {
        if (inSignal) {
            violations.add(signal + " within another signal, or beside it");
        }
        if (subscription == null) {
            violations.add(signal + " before onSubscribe");
        }
        if (completed || error != null) {
            violations.add(signal + " after the end (" + (completed ? "complete" : error) + ')');
        }
        inSignal = true;
    }

    private synchronized void leave() {
        inSignal = false;
        notifyAll();
    }

    public void request(long n) {
        Subscription its;
        synchronized (this) {
            requested = Operators.addCap(requested, Math.max(0, n));
            its = await();
        }
        its.request(n);
    }

    public void cancel() {
        Subscription its;
        synchronized (this) {
            cancelled = true;
            its = await();
        }
        its.cancel();
    }

    private synchronized Subscription await() {
        until("onSubscribe", () -> subscription != null);
        Subscription its = subscription;
        if (its == null) {
            throw new AssertionError();
        }
        return its;
    }

    public synchronized long received() {
        return received;
    }

    public synchronized boolean ended() {
        return completed || error != null;
    }

    public synchronized boolean cancelled() {
        return cancelled;
    }

    public synchronized @Nullable Throwable error() {
        return error;
    }

    /** Waits until this many values have come in all, as long as more of them come: some machines are busy. */
    public synchronized Probe<T> awaitReceived(long count) {
        Supplier<String> what = () -> received + " of " + count + " values, " + state();
        BooleanSupplier there = () -> received >= count || ended();
        long before = -1;
        while (!within(what, there)) {
            if (before == received) {
                throw new AssertionError("no more for " + Patience.LIMIT.toSeconds() + " s: " + what.get());
            }
            before = received;
        }
        if (received < count) {
            throw new AssertionError("ended after " + received + " of " + count + " values: " + state(), error);
        }
        return check();
    }

    /** Waits for the end, which must be a good one. */
    public synchronized Probe<T> awaitComplete() {
        awaitEnd();
        if (!completed) {
            throw new AssertionError("failed instead of completing, after " + received + " values", error);
        }
        return check();
    }

    /** Waits for the end, which must be an error. */
    public synchronized Throwable awaitError() {
        awaitEnd();
        check();
        Throwable reason = error;
        if (reason == null) {
            throw new AssertionError("completed instead of failing, after " + received + " values");
        }
        return reason;
    }

    /** Waits for the end, whichever it is. */
    public synchronized Probe<T> awaitEnd() {
        until(() -> "the end; " + received + " of " + requested + " values", this::ended);
        return this;
    }

    /** Fails if a rule was broken. */
    public synchronized Probe<T> check() {
        if (!violations.isEmpty()) {
            throw new AssertionError("rules of Reactive Streams broken: " + violations, error);
        }
        return this;
    }

    private String state() {
        return completed ? "completed" : error != null ? "failed with " + error : cancelled ? "cancelled" : "open";
    }

    private void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    private synchronized void until(Supplier<String> what, BooleanSupplier condition) {
        if (!within(what, condition)) {
            throw new AssertionError("not within " + Patience.LIMIT.toSeconds() + " s: " + what.get());
        }
    }

    private synchronized boolean within(Supplier<String> what, BooleanSupplier condition) {
        long end = System.nanoTime() + Patience.LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted while waiting for " + what.get(), e);
            }
        }
        return true;
    }
}
