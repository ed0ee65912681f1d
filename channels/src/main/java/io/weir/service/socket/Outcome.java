package io.weir.service.socket;

import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/** What a {@code Mono} yields, for a thread that waits for it. */
final class Outcome<T> extends BaseSubscriber<T> {

    private final Sleeper sleeper = new Sleeper(0);
    private final AtomicReference<@Nullable T> value = new AtomicReference<>();
    private final Consumer<T> unwanted;
    private volatile @Nullable Throwable failure;
    private volatile boolean over;
    private volatile boolean givenUp;

    /** @param unwanted gets a value that comes when nobody waits any more */
    Outcome(Consumer<T> unwanted) {
        this.unwanted = unwanted;
    }

    @Override
    protected void hookOnNext(T it) {
        value.set(it);
        if (givenUp) {
            discard();
        }
    }

    private void discard() {
        T late = value.getAndSet(null);
        if (late != null) {
            unwanted.accept(late);
        }
    }

    @Override
    protected void hookOnError(Throwable error) {
        failure = error;
    }

    @Override
    protected void hookFinally(SignalType how) {
        over = true;
        sleeper.wake();
    }

    /**
     * The value; null if it has failed, see {@link #failure}. Whoever gives up has cancelled it.
     *
     * @param timeoutMillis 0 for any time
     * @throws SocketException if somebody else has cancelled it
     */
    @Nullable
    T await(int timeoutMillis, String late) throws SocketTimeoutException, InterruptedIOException, SocketException {
        boolean inTime = false;
        try {
            inTime = sleeper.await(() -> over || isDisposed(), timeoutMillis * 1_000_000L);
        } finally {
            if (!inTime) {
                giveUp();
            }
        }
        if (!inTime) {
            throw new SocketTimeoutException(late);
        }
        T outcome = value.getAndSet(null);
        if (outcome == null && failure == null) {
            giveUp();
            throw new SocketException("Socket closed");
        }
        return outcome;
    }

    /** Nobody wants it any more, perhaps before it has begun. Any thread. */
    void abandon() {
        cancel();
        sleeper.wake();
    }

    /** A value may be just coming. */
    private void giveUp() {
        cancel();
        givenUp = true;
        discard();
    }

    /** Returns when it is over, whatever has come of it. */
    void awaitEnd() {
        try {
            var unused = sleeper.await(() -> over, 0);
        } catch (InterruptedIOException e) {
            cancel();
        }
    }

    @Nullable
    Throwable failure() {
        return failure;
    }
}
