package io.weir.service.socket;

import io.weir.channel.Channel;
import io.weir.channel.Peer;
import io.weir.channel.Turns;
import io.weir.core.PeerAddress;
import io.weir.core.WeirException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOptions;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** One end of a connection between sockets: a channel, read and written by threads that wait. */
final class SocketEnd extends SocketImpl {

    /** Stands for a port of our own, which a channel does not have: every one differs from the ones shortly before. */
    private static final AtomicInteger NEXT_PORT = new AtomicInteger();

    private static final int FIRST_PORT = 49_152;
    private static final int PORTS = 16_384;

    private final Connections connections;
    private final Options options = new Options();
    private final Incoming incoming;
    private final Outgoing outgoing;
    private volatile @Nullable Outcome<Channel> connecting;
    private volatile @Nullable Channel channel;
    private volatile Disposable sending = Disposables.disposed();
    private volatile boolean closed;

    SocketEnd(Connections connections, long spinNanos) {
        this.connections = connections;
        this.incoming = new Incoming(spinNanos);
        this.outgoing =
                new Outgoing(spinNanos, () -> Objects.requireNonNull(channel).allocator());
    }

    /** Begins with this channel. */
    void attach(Channel opened, InetAddress remote, int remotePort, int localPort) {
        address = remote;
        port = remotePort;
        localport = localPort;
        channel = opened;
        Turns turns = opened.turns();
        outgoing.turns(turns);
        sending = opened.send(outgoing).subscribe(nothing -> {}, outgoing::failed, outgoing::cancel);
        incoming.attach(opened, turns);
        if (closed) {
            close();
        }
    }

    Peer peer() {
        return Objects.requireNonNull(channel).peer();
    }

    /** Resets it, and gives the peer the reason. */
    void refuse(WeirException reason) {
        outgoing.refuse(reason);
        close();
    }

    static int anyPort() {
        return FIRST_PORT + Math.floorMod(NEXT_PORT.getAndIncrement(), PORTS);
    }

    @Override
    protected void create(boolean stream) throws SocketException {
        if (!stream) {
            throw new SocketException("a socket over channels is a stream: datagrams can't be sent over it");
        }
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        connect(new InetSocketAddress(host, port), 0);
    }

    @Override
    protected void connect(InetAddress address, int port) throws IOException {
        connect(new InetSocketAddress(address, port), 0);
    }

    @Override
    protected void connect(SocketAddress to, int timeoutMillis) throws IOException {
        if (!(to instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException(to + " has no host and port");
        }
        if (inet.isUnresolved()) {
            throw new UnknownHostException(inet.getHostName());
        }
        boolean done = false;
        try {
            Channel opened = open(inet, timeoutMillis);
            attach(opened, inet.getAddress(), inet.getPort(), localport == 0 ? anyPort() : localport);
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
        if (closed) {
            throw new SocketException("Socket closed");
        }
    }

    private Channel open(InetSocketAddress to, int timeoutMillis) throws IOException {
        String host = to.getAddress().isAnyLocalAddress() ? "127.0.0.1" : to.getHostString();
        Outcome<Channel> outcome = new Outcome<>(late -> {
            var unused = late.close().subscribe();
        });
        connecting = outcome;
        if (closed) {
            outcome.abandon();
        }
        connections.open(new PeerAddress(host, to.getPort())).subscribe(outcome);
        Channel opened = outcome.await(timeoutMillis, "Connect timed out");
        if (opened == null) {
            throw SocketErrors.refused(to, Objects.requireNonNull(outcome.failure()));
        }
        return opened;
    }

    @Override
    protected void bind(InetAddress host, int port) {
        // A channel leaves from where its node is; what was asked for is told to who asks.
        localport = port;
    }

    @Override
    protected void listen(int backlog) throws SocketException {
        throw new SocketException("this socket connects: use a server socket to listen");
    }

    @Override
    protected void accept(SocketImpl accepted) throws SocketException {
        throw new SocketException("this socket connects: use a server socket to accept");
    }

    @Override
    protected InputStream getInputStream() {
        return incoming;
    }

    @Override
    protected OutputStream getOutputStream() {
        return outgoing;
    }

    @Override
    protected int available() {
        return incoming.available();
    }

    @Override
    protected void shutdownInput() {
        incoming.shutdown();
    }

    @Override
    protected void shutdownOutput() {
        outgoing.shutdown();
    }

    /** What was written is still sent, unless the socket shall be reset. */
    @Override
    protected void close() {
        closed = true;
        Outcome<Channel> begun = connecting;
        if (begun != null) {
            begun.abandon();
        }
        if (options.resets()) {
            // Before the stream has ended well.
            sending.dispose();
        }
        outgoing.close();
        incoming.close();
    }

    @Override
    protected boolean supportsUrgentData() {
        return false;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw new SocketException("urgent data can't be sent over a channel");
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        checkOpen();
        if (option == SocketOptions.SO_TIMEOUT) {
            incoming.timeout((Integer) value);
        }
        options.set(option, value);
    }

    @Override
    public @Nullable Object getOption(int option) throws SocketException {
        checkOpen();
        return option == SocketOptions.SO_TIMEOUT ? incoming.timeout() : options.get(option);
    }

    private void checkOpen() throws SocketException {
        if (closed) {
            throw new SocketException("Socket closed");
        }
    }
}
