package io.weir.service.remote;

import io.weir.channel.CallOutcome;
import io.weir.channel.IncomingCall;
import io.weir.channel.Peer;
import io.weir.core.PeerId;
import io.weir.peer.Identity;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Who calls a remote interface, for the code that is called. On its thread it is there from the call to the return of
 * the method ({@link #current()}), and in Reactor's context for as long as what the method has returned is subscribed
 * to ({@link #of}). Immutable.
 */
public final class Caller {

    private static final ThreadLocal<@Nullable Caller> CURRENT = new ThreadLocal<>();

    private final Peer peer;
    private final String service;
    private final String method;
    private final long end;
    private final boolean limited;
    private final @Nullable IncomingCall watched;

    /**
     * @param left milliseconds, 0 for no deadline
     * @param watched the call, for who watches it
     */
    Caller(Peer peer, String service, String method, int left, @Nullable IncomingCall watched) {
        this.peer = peer;
        this.service = service;
        this.method = method;
        this.limited = left > 0;
        this.watched = watched;
        this.end = limited ? System.nanoTime() + left * 1_000_000L : 0;
    }

    /**
     * Who calls the method that runs on this thread.
     *
     * @throws IllegalStateException outside of a remote call
     */
    public static Caller current() {
        Caller current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException(
                    "this thread is not within a remote call: where a publisher runs that a method"
                            + " has returned, use Caller.of(contextView)");
        }
        return current;
    }

    /**
     * Who calls, within {@code Mono.deferContextual} and the like.
     *
     * @throws NoSuchElementException outside of a remote call
     */
    public static Caller of(ContextView context) {
        return context.get(Caller.class);
    }

    /** Makes another one, or nobody, the current one, and returns the former one. */
    static @Nullable Caller enter(@Nullable Caller caller) {
        Caller before = CURRENT.get();
        CURRENT.set(caller);
        return before;
    }

    /** The call, if somebody watches it. */
    @Nullable
    IncomingCall watched() {
        return watched;
    }

    /** Reports how the call has ended to its watcher, if there is one. */
    void told(CallOutcome outcome, @Nullable Throwable error) {
        if (watched != null) {
            watched.ended(outcome, error);
        }
    }

    /** The node that calls. */
    public PeerId id() {
        return peer.id();
    }

    /** Who that is, and how far it has proved it. */
    public Identity identity() {
        return peer.identity();
    }

    /** The connection over which it calls. */
    public Peer peer() {
        return peer;
    }

    /** The port that was called. */
    public String service() {
        return service;
    }

    /** The method, with its interface and parameters: {@code Ledger.balance(String)}. */
    public String method() {
        return method;
    }

    /** What is left until the caller gives up, perhaps negative; null if it has set no deadline. */
    public @Nullable Duration left() {
        return limited ? Duration.ofNanos(end - System.nanoTime()) : null;
    }

    @Override
    public String toString() {
        return method + " called by " + peer.id();
    }
}
