package io.weir.service.socket;

import io.weir.core.RareLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets sockets of other nodes reach a TCP address that this host reaches, such as a server that knows nothing of Weir: each socket that
 * comes in is connected to it, and what is written at one end is read at the other. The end of one direction, and a reset, are passed on.
 *
 * <p>Each connection takes two threads, and at most {@value #MOST} are connected at once: further ones wait. Whoever may be a peer reaches the
 * target through this.
 */
public final class SocketRelay implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketRelay.class);
    private static final RareLog UNREACHABLE = new RareLog(LOG, System::nanoTime);
    private static final int MOST = 256;

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final int timeoutMillis;
    private final Semaphore room = new Semaphore(MOST);
    private final Set<Pipe> open = ConcurrentHashMap.newKeySet();

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
                room.acquire();
                new Pipe(server.accept()).start();
            } catch (IOException | InterruptedException e) {
                // It was closed, by its user or with its node.
                close();
            }
        }
    }

    /** Ends it, and resets all connections. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.debug("{} did not close well", server, e);
        }
        open.forEach(Pipe::reset);
    }

    /** One connection. */
    private final class Pipe {

        private final Socket near;
        private final Socket far = new Socket();
        /** Directions that have not ended. */
        private final AtomicInteger directions = new AtomicInteger(2);

        Pipe(Socket near) {
            this.near = near;
        }

        void start() {
            open.add(this);
            thread("weir-relay-" + port() + "-in", this::forward);
            if (server.isClosed()) {
                reset();
            }
        }

        private void forward() {
            try {
                far.connect(target, timeoutMillis);
                far.setTcpNoDelay(true);
            } catch (IOException e) {
                UNREACHABLE.warn("A socket came in, and " + target + " can't be reached: " + e.getMessage());
                directions.set(0);
                end();
                return;
            }
            thread("weir-relay-" + port() + "-out", () -> copy(far, near));
            copy(near, far);
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
            room.release();
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
