package io.weir.service.socket;

import io.weir.channel.Peer;
import io.weir.channel.Places;
import io.weir.core.Overloaded;
import io.weir.core.RareLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets sockets of other nodes reach a TCP address that this host reaches, such as a server that knows nothing of Weir:
 * each socket that comes in is connected to it, and what is written at one end is read at the other. The end of one
 * direction, and a reset, are passed on.
 *
 * <p>Each connection takes two threads, and at most {@value #MOST} are connected at once, of which nobody can take all,
 * see {@link Places}: further ones of a peer wait, as many again, and those beyond are reset. Whoever may be a peer
 * reaches the target through this.
 */
public final class SocketRelay implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketRelay.class);
    private static final int MOST = 256;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final int timeoutMillis;
    private final Places room = new Places(MOST);
    private final Places waitingRoom = new Places(MOST);
    private final Set<Pipe> open = ConcurrentHashMap.newKeySet();
    /** Guarded by itself. */
    private final Set<Pipe> waiting = new LinkedHashSet<>();

    private final RareLog complaints = new RareLog(LOG, System::nanoTime);

    private SocketRelay(ServerSocket server, InetSocketAddress target, int timeoutMillis) {
        this.server = server;
        this.target = target;
        this.timeoutMillis = timeoutMillis;
    }

    /** See {@link WeirSockets#relay}. */
    static SocketRelay start(ServerSocket server, InetSocketAddress target, int timeoutMillis) {
        SocketRelay relay = new SocketRelay(server, target, timeoutMillis);
        thread("weir-relay-" + server.getLocalPort(), relay::accept);
        return relay;
    }

    private static void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The port that sockets connect to. */
    public int port() {
        return server.getLocalPort();
    }

    /** How many are connected now. */
    public int connections() {
        return open.size();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                begin(new Pipe((ChannelSocket) server.accept()));
            } catch (IOException e) {
                // It was closed, by its user or with its node.
                close();
            }
        }
    }

    private void begin(Pipe pipe) {
        boolean connects;
        boolean waits;
        synchronized (waiting) {
            connects = room.tryTake(pipe.peer);
            waits = !connects && waitingRoom.tryTake(pipe.peer);
            if (waits) {
                waiting.add(pipe);
            }
        }
        if (connects) {
            pipe.start();
        } else if (!waits) {
            pipe.refuse();
        } else if (server.isClosed()) {
            resetWaiting();
        }
    }

    /** This peer has one less: the first of those that wait has its place that may. */
    private void ended(Peer peer) {
        Pipe next = null;
        synchronized (waiting) {
            room.give(peer);
            Iterator<Pipe> all = waiting.iterator();
            while (next == null && all.hasNext()) {
                Pipe first = all.next();
                if (room.tryTake(first.peer)) {
                    all.remove();
                    waitingRoom.give(first.peer);
                    next = first;
                }
            }
        }
        if (next != null) {
            next.start();
        }
    }

    private void resetWaiting() {
        List<Pipe> all;
        synchronized (waiting) {
            all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(each -> waitingRoom.give(each.peer));
        }
        all.forEach(Pipe::reset);
    }

    /** Ends it, and resets all connections. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("{} did not close well", server, e);
        }
        resetWaiting();
        open.forEach(Pipe::reset);
    }

    /** One connection. */
    private final class Pipe {

        private final ChannelSocket near;
        private final Peer peer;
        private final Socket far = new Socket();
        /** Directions that have not ended. */
        private final AtomicInteger directions = new AtomicInteger(2);

        Pipe(ChannelSocket near) {
            this.near = near;
            this.peer = near.peer();
        }

        void refuse() {
            String reason = "as many sockets of this peer are connected to " + target
                    + " as may, and as many again wait (of " + MOST + " in all)";
            complaints.warn("A socket of " + peer.id() + " is refused: " + reason);
            near.refuse(new Overloaded(reason));
            closeQuietly(near);
        }

        void start() {
            open.add(this);
            if (begins("-in", this::forward) && server.isClosed()) {
                reset();
            }
        }

        private void forward() {
            try {
                far.connect(target, timeoutMillis);
                far.setTcpNoDelay(true);
            } catch (IOException e) {
                complaints.warn("A socket came in, and " + target + " can't be reached: " + e.getMessage());
                directions.set(0);
                end();
                return;
            }
            if (begins("-out", () -> copy(far, near))) {
                copy(near, far);
            }
        }

        /**
         * Whether there is a thread for this. If the system gives the process no more, this socket ends, and the relay
         * goes on.
         */
        private boolean begins(String direction, Runnable work) {
            try {
                thread("weir-relay-" + port() + direction, work);
                return true;
            } catch (OutOfMemoryError e) {
                directions.set(0);
                complaints.warn(
                        "A socket of " + peer.id() + " is reset, as there is no thread for it: " + e.getMessage());
                near.refuse(new Overloaded("there is no thread for a socket to " + target));
                end();
                return false;
            }
        }

        private void copy(Socket from, Socket to) {
            try {
                var unused = from.getInputStream().transferTo(to.getOutputStream());
                to.shutdownOutput();
            } catch (IOException e) {
                LOG.debug("{} or {} has failed", from, to, e);
                reset();
            }
            if (directions.decrementAndGet() == 0) {
                end();
            }
        }

        private void end() {
            boolean wellEnded = near.isOutputShutdown() && far.isOutputShutdown();
            if (wellEnded) {
                closeQuietly(near);
                closeQuietly(far);
            } else {
                reset();
            }
            open.remove(this);
            ended(peer);
        }

        void reset() {
            reset(near);
            reset(far);
        }

        private void reset(Socket socket) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                // It is closed, or was never open.
            }
            closeQuietly(socket);
        }

        private void closeQuietly(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("{} did not close well", socket, e);
            }
        }
    }
}
