package io.weir.tck;

import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener of a test, and everybody who has come: as links, or as raw sockets on the other side. */
final class Reception implements AutoCloseable {

    final Bootstrap bootstrap;
    final TransportSettings settings;
    final Loop accepting;
    final Loop connecting;
    final Bootstrap.Listener listener;
    private final Queue<End> arrived = new ConcurrentLinkedQueue<>();
    private final List<End> ends = new CopyOnWriteArrayList<>();

    private Reception(BootstrapContract contract, Path folder, PeerAddress address, boolean handled) {
        this.bootstrap = contract.bootstrap();
        this.settings = new TransportSettings(folder, contract.nativeAllowed(), Map.of());
        this.accepting = bootstrap.newLoop("tck-accepting", Waiting.BALANCED, settings);
        this.connecting = bootstrap.newLoop("tck-connecting", Waiting.FRUGAL, settings);
        try {
            this.listener =
                    Await.value(bootstrap.bind(address, settings, () -> accepting, link -> accept(link, handled)));
        } catch (RuntimeException e) {
            Await.end(accepting.close());
            Await.end(connecting.close());
            throw e;
        }
    }

    /** Listens on the loopback network; who comes gets a handler at once. */
    static Reception open(BootstrapContract contract) throws IOException {
        return open(contract, new PeerAddress("127.0.0.1", 0), true);
    }

    /** Listens at this address; who comes gets a handler at once where that is wanted. */
    static Reception open(BootstrapContract contract, PeerAddress address, boolean handled) throws IOException {
        Path folder = newFolder();
        try {
            return new Reception(contract, folder, address, handled);
        } catch (RuntimeException e) {
            remove(folder);
            throw e;
        }
    }

    private static Path newFolder() throws IOException {
        return RuntimeFolder.open(Files.createTempDirectory("weir-tck-").resolve("run"));
    }

    private void accept(Link link, boolean handled) {
        End end = new End("the accepted side", link, accepting);
        ends.add(end);
        if (!accepting.inLoop()) {
            throw new AssertionError("accepted on " + Thread.currentThread());
        }
        Hello.say(link);
        if (handled) {
            end.receiveHere();
        }
        arrived.add(end);
    }

    /** The next one who has come. */
    End next() {
        Await.until("a connection is accepted", () -> !arrived.isEmpty());
        return Objects.requireNonNull(arrived.poll());
    }

    boolean nobodyCame() {
        return arrived.isEmpty();
    }

    /** Connects as a node does. */
    End connect() {
        Link link = Await.value(bootstrap
                .connect(listener.address(), settings, connecting)
                .doOnNext(connected -> {
                    if (!connecting.inLoop()) {
                        throw new AssertionError("connected on " + Thread.currentThread());
                    }
                }));
        End end = new End("the connecting side", link, connecting);
        ends.add(end);
        end.run(() -> Hello.say(link));
        return end;
    }

    /** Connects and leaves without a word: who listens may be about to end, and with it what it has not accepted. */
    void touch() {
        Await.end(bootstrap
                .connect(listener.address(), settings, connecting)
                .doOnNext(Link::close)
                .then());
    }

    /** Connects as anybody may. */
    Socket raw() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), listener.address().port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) Await.patience().toMillis());
        return socket;
    }

    /** Connects as anybody may, and greets as a peer does. */
    Socket rawPeer() throws IOException {
        Socket socket = raw();
        socket.getOutputStream().write(Hello.bytes());
        return socket;
    }

    /** Fails unless a new connection is accepted and carries frames both ways. */
    void stillServes() {
        FrameStream stream = FrameStream.mixed("still here", 2_000);
        End client = connect();
        client.expect(stream);
        End server = next();
        server.expect(stream);
        client.sendAll(stream, 50);
        server.sendAll(stream, 50);
        server.awaitReceived(50);
        client.awaitReceived(50);
        client.close();
        if (server.awaitLost() == null) {
            throw new AssertionError("no reason");
        }
    }

    /** As above, when others may have come whom nobody has asked for. */
    void stillServesAmongOthers() {
        FrameStream stream = FrameStream.uniform("still here for me", 100);
        connect().sendAll(stream, 50);
        Await.until("somebody who came sends 50 frames", () -> ends.stream().anyMatch(end -> end.received() == 50));
    }

    @Override
    public void close() throws Exception {
        listener.dispose();
        ends.forEach(end -> End.runUnlessEnded(end.loop, end::giveUp));
        Await.end(accepting.close());
        Await.end(connecting.close());
        for (End end : ends) {
            end.check();
            end.bodies.settle();
        }
        remove(settings.runtimeFolder());
    }

    private static void remove(Path folder) throws IOException {
        Files.delete(folder);
        Files.delete(Objects.requireNonNull(folder.getParent()));
    }
}
