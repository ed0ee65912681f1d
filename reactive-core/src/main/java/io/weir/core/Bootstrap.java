package io.weir.core;

import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Makes the first connection between two nodes, over which they agree on a path, and the loops that everything runs on.
 * Found through {@link java.util.ServiceLoader}.
 */
public interface Bootstrap {

    /**
     * A new, running loop. May block, as it reads what TLS needs.
     *
     * @param settings of the connections that shall live on it
     * @throws Misconfigured if it can't be had with these settings, naming the one to mend
     */
    Loop newLoop(String name, Waiting waiting, TransportSettings settings);

    /**
     * Listens at this address.
     *
     * @param loops called for each connection: the loop that it shall live on, made by {@link #newLoop}
     * @param accepted called on that loop with each new connection, before any frame was read from it, and with TLS
     *     when its handshake has ended well
     * @return the listener; fails with {@link Misconfigured} naming the address and the remedy if it can't be bound
     */
    Mono<Listener> bind(PeerAddress address, TransportSettings settings, Supplier<Loop> loops, Consumer<Link> accepted);

    /**
     * The same, and reports connections whose TLS handshake has failed. A bootstrap without TLS reports none.
     *
     * @param turnedAway called on the connection's loop with the address that it comes from, and the reason in words
     */
    default Mono<Listener> bind(
            PeerAddress address,
            TransportSettings settings,
            Supplier<Loop> loops,
            Consumer<Link> accepted,
            BiConsumer<SocketAddress, String> turnedAway) {
        return bind(address, settings, loops, accepted);
    }

    /**
     * Connects to this address. Fails with {@link PeerUnavailable} naming it. The link is delivered on the loop, with
     * TLS when its handshake has ended well.
     */
    Mono<Link> connect(PeerAddress address, TransportSettings settings, Loop loop);

    /**
     * Where to compute what would keep a loop from its work, as are agreements on keys. It may refuse a task as any
     * executor may. By default that is the thread of the caller. Any thread may call.
     */
    default Executor elsewhere() {
        return Runnable::run;
    }

    /** An open listener. Disposing it closes the listening socket only, not the accepted connections. */
    interface Listener extends Disposable {
        /** The address really bound, with the port that was chosen for port 0. */
        PeerAddress address();
    }
}
