package io.weir.integration;

import io.weir.core.PeerAddress;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What stands between two nodes and can part them: bytes go through it in both directions until it ends a connection.
 */
public final class Relay implements AutoCloseable {

    private final InetSocketAddress target;
    private final int port;
    private final List<Socket> open = new ArrayList<>();
    private @Nullable ServerSocket listening;
    private Thread accepting = new Thread();
    private int accepted;
    private volatile Duration distance = Duration.ZERO;

    /** At a port of its own. */
    public Relay(PeerAddress target) throws IOException {
        this(new PeerAddress("127.0.0.1", free()), target);
    }

    /**
     * A port below those that the system gives to connections, of which it might take one while nobody listens there.
     */
    private static int free() throws IOException {
        for (int port = 10_000 + ThreadLocalRandom.current().nextInt(10_000); ; port++) {
            try (ServerSocket free = new ServerSocket()) {
                free.bind(new InetSocketAddress("127.0.0.1", port));
                return port;
            } catch (BindException e) {
                // Somebody else has it.
            }
        }
    }

    public Relay(PeerAddress address, PeerAddress target) throws IOException {
        this.target = new InetSocketAddress(target.host(), target.port());
        this.port = listen(address.port());
    }

    /** Where to connect to. */
    public PeerAddress address() {
        return new PeerAddress("127.0.0.1", port);
    }

    /** What goes through takes so long from now on, in each direction. */
    public Relay distance(Duration distance) {
        this.distance = distance;
        return this;
    }

    public synchronized int accepted() {
        return accepted;
    }

    /** Lets connections through from now on. */
    public void listen() throws IOException {
        var unused = listen(port);
    }

    private synchronized int listen(int at) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress("127.0.0.1", at));
        listening = socket;
        accepting = start(() -> accept(socket));
        return socket.getLocalPort();
    }

    /** Refuses whoever connects from now on. The port is free when this returns. */
    public void refuse() throws IOException {
        Thread listener;
        synchronized (this) {
            ServerSocket socket = listening;
            listening = null;
            listener = accepting;
            if (socket != null) {
                socket.close();
            }
        }
        try {
            listener.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Waits, while it refuses, until somebody connects, and ends that connection: so whoever did has noticed that the
     * former one is gone.
     */
    public void awaitRedial() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.setSoTimeout(Math.toIntExact(Patience.LIMIT.toMillis()));
            socket.bind(new InetSocketAddress("127.0.0.1", port));
            socket.accept().close();
        }
    }

    /** Ends every connection: with what was sent before and an orderly end, or at once and with a reset. */
    public synchronized void part(boolean reset) throws IOException {
        for (Socket each : open) {
            end(each, reset);
        }
        open.clear();
    }

    private static void end(Socket socket, boolean reset) throws IOException {
        try {
            if (reset) {
                socket.setSoLinger(true, 0);
            }
        } catch (SocketException e) {
            // It has ended already.
        }
        socket.close();
    }

    private void accept(ServerSocket socket) {
        while (true) {
            try {
                Socket near = socket.accept();
                Socket far = new Socket();
                far.connect(target);
                connected(near, far);
            } catch (IOException e) {
                // It listens no more.
                return;
            }
        }
    }

    private synchronized void connected(Socket near, Socket far) throws IOException {
        accepted++;
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        open.add(near);
        open.add(far);
        var there = start(() -> pump(near, far));
        var back = start(() -> pump(far, near));
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void pump(Socket from, Socket to) {
        byte[] bytes = new byte[16 << 10];
        try (from;
                to) {
            for (int count; (count = from.getInputStream().read(bytes)) >= 0; ) {
                TimeUnit.NANOSECONDS.sleep(distance.toNanos());
                to.getOutputStream().write(bytes, 0, count);
            }
        } catch (IOException e) {
            // One of them has ended, and with it the other.
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        refuse();
        part(false);
    }
}
