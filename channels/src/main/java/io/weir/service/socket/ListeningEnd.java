package io.weir.service.socket;

import io.weir.channel.Channel;
import io.weir.channel.Listening;
import io.weir.channel.Node;
import io.weir.core.PeerAddress;
import io.weir.peer.PathDecision;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Where sockets come in: a port of a node that also listens at a TCP port of this number. */
final class ListeningEnd extends SocketImpl {

    /** Two processes that are connected so run on one host. */
    private static final Set<String> WITHIN_A_HOST = Set.of("local", "shm");

    private static final InetAddress UNKNOWN = unknown();

    private final Node node;
    private final Options options = new Options();
    private final Sleeper sleeper = new Sleeper(0);
    private final ReentrantLock accepting = new ReentrantLock();
    private final Queue<Channel> waiting = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Listening listening;
    private volatile @Nullable Backlog backlog;
    private volatile int timeoutMillis;
    private volatile boolean closed;

    ListeningEnd(Node node) {
        this.node = node;
    }

    private static InetAddress unknown() {
        try {
            return InetAddress.getByAddress(new byte[4]);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void create(boolean stream) {
        // Streams are all there is.
    }

    /**
     * At any address of the host: where the node listens. A node that listens at the port already need not do so twice.
     */
    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        PeerAddress wanted = new PeerAddress(host.isAnyLocalAddress() ? home() : host.getHostAddress(), port);
        if (port == 0 || !node.addresses().contains(wanted)) {
            Outcome<Listening> outcome = new Outcome<>(Listening::dispose);
            node.listen(wanted).subscribe(outcome);
            Listening bound = outcome.await(0, "");
            if (bound == null) {
                throw notBound(Objects.requireNonNull(outcome.failure()));
            }
            listening = bound;
            wanted = bound.address();
        }
        address = host;
        localport = wanted.port();
    }

    private String home() {
        return node.addresses().stream()
                .filter(each -> !each.isUnix())
                .findFirst()
                .map(PeerAddress::host)
                .orElse("127.0.0.1");
    }

    private static BindException notBound(Throwable reason) {
        return SocketErrors.because(new BindException(String.valueOf(reason.getMessage())), reason);
    }

    @Override
    protected void listen(int most) throws IOException {
        Backlog all = new Backlog(most);
        Flux<Channel> channels = node.accept(Connections.port(localport));
        backlog = all;
        channels.subscribe(all);
        Throwable failure = all.failure;
        if (failure != null) {
            close();
            throw notBound(failure);
        }
    }

    /** Channels that were accepted and that nobody has taken: those beyond wait at the port. */
    private final class Backlog extends BaseSubscriber<Channel> {

        private final int most;
        private volatile @Nullable Throwable failure;

        Backlog(int most) {
            this.most = most;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(most);
        }

        @Override
        protected void hookOnNext(Channel channel) {
            waiting.add(channel);
            sleeper.wake();
            if (closed) {
                resetWaiting();
            }
        }

        @Override
        protected void hookOnError(Throwable error) {
            failure = error;
            sleeper.wake();
        }

        @Override
        protected void hookOnComplete() {
            failure = new SocketException("the node is closing");
            sleeper.wake();
        }
    }

    /** Whether nothing comes in any more, as the node has closed. */
    boolean isOver() {
        Backlog all = backlog;
        return all != null && all.failure != null && waiting.isEmpty();
    }

    @Override
    protected void accept(SocketImpl accepted) throws IOException {
        Backlog all = Objects.requireNonNull(backlog);
        accepting.lock();
        try {
            if (!sleeper.await(() -> closed || !waiting.isEmpty() || all.failure != null, timeoutMillis * 1_000_000L)) {
                throw new SocketTimeoutException("Accept timed out");
            }
            Channel channel = waiting.poll();
            if (channel == null) {
                throw new SocketException("Socket closed");
            }
            all.request(1);
            ((SocketEnd) accepted).attach(channel, from(channel), SocketEnd.anyPort(), localport);
        } finally {
            accepting.unlock();
        }
    }

    /** What is not known stays so: a peer's word for its host would be believed by whoever lets in this host only. */
    private static InetAddress from(Channel channel) {
        boolean here = channel.peer().pathHistory().stream()
                .flatMap(decision -> decision.chosen().stream())
                .map(PathDecision.Attempt::path)
                .anyMatch(WITHIN_A_HOST::contains);
        return here ? InetAddress.getLoopbackAddress() : UNKNOWN;
    }

    @Override
    protected void close() {
        closed = true;
        Backlog all = backlog;
        if (all != null) {
            all.cancel();
        }
        Listening bound = listening;
        if (bound != null) {
            bound.dispose();
        }
        sleeper.wake();
        resetWaiting();
    }

    private void resetWaiting() {
        for (Channel each; (each = waiting.poll()) != null; ) {
            var unused = each.send(Flux.error(new SocketException("the server socket was closed")))
                    .subscribe(nothing -> {}, error -> {});
        }
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        if (option == SocketOptions.SO_TIMEOUT) {
            timeoutMillis = (Integer) value;
        }
        options.set(option, value);
    }

    @Override
    public @Nullable Object getOption(int option) throws SocketException {
        return option == SocketOptions.SO_TIMEOUT ? timeoutMillis : options.get(option);
    }

    @Override
    protected void connect(String host, int port) throws SocketException {
        throw listens();
    }

    @Override
    protected void connect(InetAddress to, int port) throws SocketException {
        throw listens();
    }

    @Override
    protected void connect(SocketAddress to, int timeout) throws SocketException {
        throw listens();
    }

    @Override
    protected InputStream getInputStream() throws SocketException {
        throw listens();
    }

    @Override
    protected OutputStream getOutputStream() throws SocketException {
        throw listens();
    }

    @Override
    protected int available() {
        return 0;
    }

    @Override
    protected void sendUrgentData(int data) throws SocketException {
        throw listens();
    }

    private static SocketException listens() {
        return new SocketException("this socket listens: use those that it accepts");
    }
}
