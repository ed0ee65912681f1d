package io.weir.path;

import io.weir.config.TimeoutSpec;
import io.weir.core.Loop;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The times in which a session has no bootstrap connection: how long its return is awaited, and who dials meanwhile.
 * Loop thread only.
 *
 * <pre>
 *   lost, and the peer can be reached   weir.timeout.rejoin: it has died, or comes back at once
 *   lost, and it can't be reached       weir.timeout.resume: the network is cut
 *   the peer was heard of meanwhile     weir.timeout.resume, from then on
 * </pre>
 *
 * <p>When that is over, a first try to connect, or one that somebody has answered, is still awaited.
 *
 * <p>A peer may take the connection and close it again each time. So only the first {@link #DIALS} absences are
 * followed by a try at once, or in a {@link #MOMENT} if the session goes on, and then one in each {@link #PAUSE}.
 */
final class Absence {

    /** Connects to the peer again and again. */
    interface Dialler {

        void begin();

        /** Tries no more. */
        void end();

        /** Whether somebody has answered the present try. */
        boolean isAnswered();

        /** Whether it was tried in vain, and nobody is just answering. */
        boolean isInVain();

        /** Why the last try was in vain; empty before. */
        String lastFailure();
    }

    /** Absences whose first try is made at once, if they follow each other quickly. */
    static final int DIALS = 16;

    /** A goodbye that comes over another link is here in far less. */
    static final Duration MOMENT = Duration.ofMillis(50);

    /** Shorter than most peers wait, by {@link TimeoutSpec#rejoin}. */
    static final Duration PAUSE = Duration.ofMillis(250);

    private final Loop loop;
    private final TimeoutSpec timeouts;
    private final LongSupplier nanos;
    private final Consumer<WeirException> waitedInVain;

    /** Why there is no bootstrap connection just now; null while there is one. */
    private @Nullable WeirException reason;

    private long since;
    private Disposable patience = Disposables.disposed();
    /** The peer has been heard of since. */
    private boolean isAlive;
    /** Only what becomes of the present try is still awaited. */
    private boolean overdue;

    private @Nullable Dialler dialler;
    private final Rate dials;
    /** A first try that is not made yet. */
    private Disposable first = Disposables.disposed();
    /** It is not made yet because the session goes on. */
    private boolean putOff;

    /**
     * Begins with a bootstrap connection.
     *
     * @param nanos a clock such as {@link System#nanoTime}
     * @param waitedInVain gets why the session is lost
     */
    Absence(Loop loop, TimeoutSpec timeouts, LongSupplier nanos, Consumer<WeirException> waitedInVain) {
        this.loop = loop;
        this.nanos = nanos;
        this.dials = new Rate(DIALS, PAUSE, nanos);
        this.timeouts = timeouts;
        this.waitedInVain = waitedInVain;
    }

    /** Whether there is no bootstrap connection. */
    boolean lasts() {
        return reason != null;
    }

    void begins(WeirException why) {
        reason = why;
        since = nanos.getAsLong();
        isAlive = false;
        await(why, why instanceof PeerUnavailable);
    }

    /**
     * There is a bootstrap connection again.
     *
     * @return how many milliseconds there was none
     */
    long ends() {
        patience.dispose();
        reason = null;
        return (nanos.getAsLong() - since) / 1_000_000;
    }

    /** Nothing is awaited any more. */
    void giveUp() {
        patience.dispose();
        stopDialling();
    }

    /** The peer has been heard of, so it is not dead, and what it takes to meet it again may last. */
    void peerLives() {
        WeirException why = reason;
        if (why != null && !isAlive) {
            isAlive = true;
            await(why, true);
        }
    }

    private void await(WeirException why, boolean forLong) {
        overdue = false;
        patience.dispose();
        patience = loop.schedule(() -> isOver(why), forLong ? timeouts.resume() : timeouts.rejoin());
    }

    /** What has just woken us may be what was awaited: it is read before tasks are run. */
    @SuppressWarnings("ReferenceEquality") // Which absence it is.
    private void isOver(WeirException why) {
        loop.execute(() -> {
            if (why == reason) {
                overdue = true;
                check();
            }
        });
    }

    /** Whoever dials has failed once more, or the time is over. */
    void check() {
        WeirException why = reason;
        Dialler dialling = dialler;
        if (why != null && overdue && (dialling == null || dialling.isInVain())) {
            String last = dialling == null ? "" : dialling.lastFailure();
            waitedInVain.accept(last.isEmpty() ? why : new SessionLost(Errors.text(why) + "; then " + last, why));
        }
    }

    /** Whether this side dials. */
    boolean isDialling() {
        return dialler != null;
    }

    /** Whether this side dials, and the peer has answered. */
    boolean isAnswered() {
        Dialler dialling = dialler;
        return dialling != null && dialling.isAnswered();
    }

    void dial(Dialler by) {
        dialler = by;
        putOff = false;
        beginFirst(by);
    }

    /**
     * As {@link #dial}, but in a moment, for a session that goes on meanwhile over another link. A peer that ends
     * closes its links in any order: dialled before its goodbye is read, it would warn of a connection that came to
     * nothing.
     */
    void dialSoon(Dialler by) {
        dialler = by;
        putOff = true;
        // What has just woken us may be the goodbye: it is read before tasks are run.
        first = loop.schedule(() -> loop.execute(() -> dialNow(by)), MOMENT);
    }

    /** The session goes on no longer: what {@link #dialSoon} has put off is done. */
    void hasten() {
        Dialler by = dialler;
        if (by != null) {
            dialNow(by);
        }
    }

    private void dialNow(Dialler by) {
        if (putOff && by.equals(dialler)) {
            putOff = false;
            first.dispose();
            beginFirst(by);
        }
    }

    private void beginFirst(Dialler by) {
        if (dials.take()) {
            by.begin();
        } else {
            first = loop.schedule(() -> beginFirst(by), PAUSE);
        }
    }

    /** What was said over the connection that was dialled holds no longer: it is dialled anew. */
    void dialAgain() {
        Objects.requireNonNull(dialler).begin();
    }

    /** Who dials has come to its end by itself. */
    void hasDialled() {
        dialler = null;
    }

    /** This side dials no more, if it does. */
    void stopDialling() {
        Dialler dialling = dialler;
        dialler = null;
        first.dispose();
        if (dialling != null) {
            dialling.end();
        }
    }
}
