package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.Loop;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PendingLink;
import io.weir.core.RuntimeFolder;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Two nodes of this process, as far as a transport needs them: cards, loops, a run-time folder, and the bootstrap
 * connection between them. Closing it fails if something is left in the folder.
 */
final class NodePair implements AutoCloseable {

    private static final String PROCESS = UUID.randomUUID().toString();

    private final TransportFixture fixture;
    final Transport transport;
    final TransportSettings settings;
    final Node connecting;
    final Node accepting;
    private final Bootstrap.Listener listener;

    /** One of the two. */
    record Node(PeerCard card, Loop loop, Link bootstrap, boolean connects) {

        <T> T call(Callable<T> task) {
            return End.call(loop, loop.name(), task);
        }
    }

    private NodePair(
            TransportFixture fixture,
            Transport transport,
            TransportSettings settings,
            Node connecting,
            Node accepting,
            Bootstrap.Listener listener) {
        this.fixture = fixture;
        this.transport = transport;
        this.settings = settings;
        this.connecting = connecting;
        this.accepting = accepting;
        this.listener = listener;
    }

    /** Connects two new nodes, which live on one loop where that is wanted. */
    static NodePair connect(TransportFixture fixture, boolean oneLoop) throws Exception {
        Transport transport = fixture.transport();
        Bootstrap bootstrap = Paths.bootstrap();
        Path folder = newFolder();
        TransportSettings settings = fixture.settings(folder);
        TransportSettings plain = fixture.bootstrapSettings(folder);
        PeerCard first = card("first", transport, settings);
        PeerCard second = card("second", transport, settings);
        Loop firstLoop = bootstrap.newLoop("tck-first", Waiting.BALANCED, plain);
        Loop secondLoop = oneLoop ? firstLoop : bootstrap.newLoop("tck-second", Waiting.FRUGAL, plain);
        CompletableFuture<Link> accepted = new CompletableFuture<>();
        Bootstrap.Listener listener =
                Await.value(bootstrap.bind(fixture.address(folder), plain, () -> secondLoop, accepted::complete));
        Link connected = Await.value(bootstrap.connect(listener.address(), plain, firstLoop));
        Await.until("the listener accepts the connection", accepted::isDone);
        Node connecting = new Node(first, firstLoop, connected, true);
        Node accepting = new Node(second, secondLoop, accepted.get(), false);
        End.runUnlessEnded(firstLoop, () -> Hello.say(connecting.bootstrap));
        End.runUnlessEnded(secondLoop, () -> Hello.say(accepting.bootstrap));
        return new NodePair(fixture, transport, settings, connecting, accepting, listener);
    }

    private static Path newFolder() throws IOException {
        return RuntimeFolder.open(Files.createTempDirectory("weir-tck-").resolve("run"));
    }

    private static PeerCard card(String name, Transport transport, TransportSettings settings) throws IOException {
        Availability availability = transport.availability(settings);
        if (availability instanceof Availability.Missing missing) {
            throw Paths.missing(transport.name(), missing.reason());
        }
        String card = ((Availability.Ready) availability).card();
        return new PeerCard(
                new PeerId(UUID.randomUUID(), name, 1),
                bootId(),
                uid(),
                PROCESS,
                "localhost",
                ProcessHandle.current().pid(),
                Map.of(transport.name(), card),
                Map.of());
    }

    private static String bootId() throws IOException {
        Path file = Path.of("/proc/sys/kernel/random/boot_id");
        return Files.isReadable(file) ? Files.readString(file).trim() : "";
    }

    private static long uid() throws IOException {
        Path self = Path.of("/proc/self");
        return Files.isDirectory(self) ? ((Number) Files.getAttribute(self, "unix:uid")).longValue() : -1;
    }

    /** What the transport of one side is asked. */
    LinkRequest request(Node self) {
        Node peer = self.connects ? accepting : connecting;
        return new LinkRequest(self.card, peer.card, self.connects, self.loop, self.bootstrap, settings);
    }

    /** Begins one half. */
    PendingLink prepare(Node self) {
        return self.call(() -> transport.prepare(request(self)));
    }

    /** Begins to join one half with the other one's offer; the result comes on the loop. */
    CompletableFuture<Link> complete(Node self, PendingLink half, byte[] theirs) {
        CompletableFuture<Link> link = new CompletableFuture<>();
        self.loop.execute(() -> {
            try {
                var unused = half.complete(theirs)
                        .doOnTerminate(() -> assertThat(self.loop.inLoop())
                                .as("the end of complete() comes on the loop")
                                .isTrue())
                        .subscribe(
                                link::complete,
                                link::completeExceptionally,
                                () -> link.completeExceptionally(
                                        new AssertionError("complete() ended without a link")));
            } catch (Throwable e) {
                link.completeExceptionally(e);
            }
        });
        return link;
    }

    /** Makes a link as two nodes do, but hands the offers over in memory: so no link has had a handler yet. */
    LinkPair link() throws Exception {
        assertThat(transport.reaches(connecting.card, accepting.card)).isNull();
        assertThat(transport.reaches(accepting.card, connecting.card)).isNull();
        PendingLink first = prepare(connecting);
        PendingLink second = prepare(accepting);
        CompletableFuture<Link> firstLink = complete(connecting, first, accepting.call(second::offer));
        CompletableFuture<Link> secondLink = complete(accepting, second, connecting.call(first::offer));
        Await.until("both halves are joined", () -> firstLink.isDone() && secondLink.isDone());
        End.runUnlessEnded(connecting.loop, () -> fixture.prepare(firstLink.get()));
        End.runUnlessEnded(accepting.loop, () -> fixture.prepare(secondLink.get()));
        return new LinkPair(firstLink.get(), connecting.loop, secondLink.get(), accepting.loop, this);
    }

    @Override
    public void close() throws Exception {
        for (Node node : new Node[] {connecting, accepting}) {
            End.runUnlessEnded(node.loop, () -> node.bootstrap.close());
        }
        listener.dispose();
        Await.end(connecting.loop.close());
        Await.end(accepting.loop.close());
        Path folder = settings.runtimeFolder();
        Await.until(
                () -> "the run-time folder is empty: " + content(folder),
                () -> content(folder).isEmpty());
        Files.delete(folder);
        Files.delete(folder.getParent());
    }

    private static String content(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return String.join(", ", files.map(Path::toString).toList());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
