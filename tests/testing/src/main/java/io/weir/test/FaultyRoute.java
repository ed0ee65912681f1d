package io.weir.test;

import io.weir.core.PeerAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A way to a node on which a test can bring about what networks do: a TCP relay in this JVM. Who connects to its
 * {@link #address()} reaches the node behind it.
 *
 * <pre>{@code
 * FaultyRoute route = FaultyRoute.to(server.address());
 * Peer peer = client.connect(route.address()).block();
 * route.delay(Duration.ofMillis(20));
 * route.cut();
 * route.mend();
 * }</pre>
 *
 * <p>All that two nodes exchange over {@code tcp} goes through it. With {@code local} or {@code shm} only the bootstrap
 * connection does: such links are broken with {@link io.weir.channel.Peer#cut()}.
 *
 * <p>It holds at most 1 MiB per connection and direction; when that is full, the sender is held up. Any thread may use
 * it. What it has begun are daemon threads, and ends with {@link #close()}.
 */
public final class FaultyRoute implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    private final int port;
    private final Gate gate = new Gate();
    private final Set<Relayed> open = new HashSet<>();
    private @Nullable ServerSocket listening;
    private @Nullable Thread accepting;
    private int accepted;
    private boolean closed;
    private volatile Duration delay = Duration.ZERO;
    private volatile @Nullable InetSocketAddress target;

    private FaultyRoute() throws IOException {
        ServerSocket socket = listenAnywhere();
        this.port = socket.getLocalPort();
        begin(socket);
    }

    /**
     * A way to this address, at a port of its own on the loopback interface, without any fault to begin with. The
     * address need not be there yet.
     *
     * @throws IllegalArgumentException if the address is a Unix-domain socket
     */
    public static FaultyRoute to(PeerAddress target) {
        FaultyRoute route = nowhere();
        try {
            route.leadTo(target);
            return route;
        } catch (IllegalArgumentException e) {
            route.close();
            throw e;
        }
    }

    /** One that does not lead anywhere yet: who connects is reset. */
    static FaultyRoute nowhere() {
        try {
            return new FaultyRoute();
        } catch (IOException e) {
            throw new UncheckedIOException("no route can listen on the loopback interface", e);
        }
    }

    /** Connections that begin from now on lead there. */
    void leadTo(PeerAddress other) {
        if (other.isUnix()) {
            throw new IllegalArgumentException(
                    other + " is a Unix-domain socket: let the node listen at tcp://127.0.0.1:0 first");
        }
        target = new InetSocketAddress(other.host(), other.port());
    }

    /**
     * Below the ports that the system gives to connections, of which it might take this one while the route
     * {@link #refuse() refuses}.
     */
    private static ServerSocket listenAnywhere() throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                return bind(10_000 + ThreadLocalRandom.current().nextInt(20_000));
            } catch (BindException e) {
                if (tries == 100) {
                    throw e;
                }
            }
        }
    }

    private static ServerSocket bind(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(LOOPBACK, port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void begin(ServerSocket socket) {
        listening = socket;
        accepting = Relayed.start("accept-" + port, () -> accept(socket));
    }

    /** Where to connect to. Stays the same. */
    public PeerAddress address() {
        return new PeerAddress(LOOPBACK, port);
    }

    /** How many connections were begun over it so far. */
    public synchronized int accepted() {
        return accepted;
    }

    /**
     * What comes from now on needs so much longer, in each direction. Nothing overtakes anything: what is under way is
     * not sped up.
     */
    public void delay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("a delay of " + delay);
        }
        this.delay = delay;
    }

    /**
     * Cuts the network: nothing goes through any more in either direction, not even an end, and nobody is told.
     * Connections stay open, and new ones are begun without an answer. What was under way arrives after
     * {@link #mend()}.
     */
    public void cut() {
        gate.close();
    }

    /**
     * Ends each connection at once with a reset, as a firewall does that has forgotten it; what was under way is lost.
     * New ones are let through.
     */
    public void reset() {
        connections().forEach(Relayed::reset);
    }

    /** Refuses new connections, as a host does on which nobody listens. Those that are open go on. */
    public void refuse() {
        Thread acceptor;
        synchronized (this) {
            ServerSocket socket = listening;
            listening = null;
            acceptor = accepting;
            if (socket != null) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        if (acceptor != null) {
            // As long as a thread accepts, the system goes on listening.
            join(acceptor);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Undoes {@link #delay}, {@link #cut} and {@link #refuse}. Connections that were reset stay so.
     *
     * @throws IllegalStateException if the route was closed
     */
    public synchronized void mend() {
        if (closed) {
            throw new IllegalStateException(this + " was closed");
        }
        delay = Duration.ZERO;
        if (listening == null) {
            try {
                begin(bind(port));
            } catch (IOException e) {
                throw new UncheckedIOException("nothing can listen at " + address() + " again", e);
            }
        }
        gate.open();
    }

    /** Resets what is open and refuses what comes. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        try {
            refuse();
        } finally {
            reset();
            gate.open();
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    private synchronized List<Relayed> connections() {
        return List.copyOf(open);
    }

    private void accept(ServerSocket socket) {
        while (true) {
            try {
                Relayed next = new Relayed(socket.accept(), () -> target, gate, () -> delay, this::ended);
                if (begins(next)) {
                    next.start();
                } else {
                    next.reset();
                }
            } catch (IOException e) {
                // It listens no more.
                return;
            }
        }
    }

    private synchronized boolean begins(Relayed connection) {
        if (!closed) {
            accepted++;
            open.add(connection);
        }
        return !closed;
    }

    private synchronized void ended(Relayed connection) {
        open.remove(connection);
    }

    @Override
    public String toString() {
        return "FaultyRoute[" + address() + " to " + target + ']';
    }
}
