package io.weir.samples.demo;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.peer.PathDecision;
import io.weir.samples.process.Child;
import io.weir.samples.process.OnePath;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.Place;
import io.weir.samples.process.ProgramFailed;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** One run over one path: a process of its own at the other end, one stream, one answer. Prints what happens. */
final class PathRun {

    /** For what takes milliseconds; the stream itself takes as long as it takes. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Subject subject;
    private final int rounds;
    private final PrintWriter out;
    private final boolean terminal;

    PathRun(Subject subject, int rounds, PrintWriter out, boolean terminal) {
        this.subject = subject;
        this.rounds = rounds;
        this.out = out;
        this.terminal = terminal;
    }

    /**
     * Runs.
     *
     * @param path the path that must come out
     * @param spec which leaves no other one before it
     * @return whether the digest that came back is ours
     * @throws io.weir.core.WeirException if there is no path, or the connection ends
     * @throws ProgramFailed if the second process does not start, or another path came out
     */
    boolean over(String path, NodeSpec spec) {
        boolean first = spec.paths().switches().isEmpty();
        out.print("Over " + path + (first ? "" : ", with what stands before it switched off"));
        return run(path, spec, peer -> stream(peer, percent -> {}, bytes -> {}));
    }

    /**
     * Runs over shared memory, which the second process breaks when a part of the file has gone.
     *
     * @return whether the digest that came back is ours, and the path has changed twice
     * @throws io.weir.core.WeirException if there is no path, or the connection ends
     * @throws ProgramFailed as above, or if the stream has ended before the path could change twice
     */
    boolean cut(NodeSpec spec) {
        out.print("Over shm, which is cut while the stream flows");
        return run("shm", spec, peer -> {
            Disposable telling = peer.paths().skip(1).subscribe(this::moved);
            boolean same = stream(
                    peer,
                    percent -> {
                        if (percent == 25) {
                            peer.tell(Receiver.CUT, Message.of("")).subscribe();
                        }
                    },
                    bytes -> {});
            telling.dispose();
            if (!pathsOf(peer).equals(List.of("shm", "tcp", "shm"))) {
                throw new ProgramFailed(
                        "It did not go from shm to tcp and back before the stream ended; take a longer file.");
            }
            return same;
        });
    }

    /**
     * Runs to a second process that is there already, over a network that is cut when a part of the file has gone.
     *
     * @param address of the second process
     * @return whether the digest that came back is ours
     * @throws io.weir.core.WeirException if there is no path, or the connection ends
     * @throws ProgramFailed as above, or if the stream has ended before the network was whole again
     */
    boolean networkCut(String path, NodeSpec spec, PeerAddress address) {
        return to(address, path, spec, peer -> {
            Disposable telling = peer.paths().skip(1).subscribe(this::moved);
            NetworkCut cut = new NetworkCut(peer, path, this::row);
            boolean same = stream(peer, cut::atQuarter, cut::piece);
            telling.dispose();
            List<String> paths = pathsOf(peer);
            if (paths.size() < 2 || !paths.get(paths.size() - 1).equals(path)) {
                throw new ProgramFailed(
                        "It did not lose " + path + " and get it back before the stream ended; take a longer file.");
            }
            return same;
        });
    }

    /** All that the connection has gone over, in turn. */
    private List<String> pathsOf(Peer peer) {
        List<String> paths = peer.pathHistory().stream()
                .flatMap(decision -> decision.chosen().stream())
                .map(PathDecision.Attempt::path)
                .toList();
        row("paths", String.join(" - ", paths));
        return paths;
    }

    private void moved(PathDecision decision) {
        row(terminal ? "\r  moved" : "moved", decision.line());
    }

    private boolean run(String path, NodeSpec spec, Predicate<Peer> work) {
        List<String> command =
                Place.further(OwnJava.command(Receiver.class, Integer.toString(rounds), Place.furtherListen()));
        try (Child receiver = Child.start(Receiver.PROCESS, command, Place.furtherSettings(), this::complain)) {
            out.println(", from process " + ProcessHandle.current().pid() + " to process " + receiver.pid());
            out.flush();
            return to(receiver.address(), path, spec, work);
        }
    }

    private boolean to(PeerAddress address, String path, NodeSpec spec, Predicate<Peer> work) {
        Node node = await(Node.start(spec));
        try {
            Peer peer = await(node.connect(address));
            out.println("  " + peer.path().toString().replace("\n", "\n  "));
            OnePath.check(path, peer);
            Memory here = Memory.now();
            Memory there = memoryOf(peer);
            boolean same = work.test(peer);
            row("memory here", Memory.now().since(here));
            row("memory there", memoryOf(peer).since(there));
            return same;
        } finally {
            node.close().block(LIMIT);
        }
    }

    /** Streams the file; tells of each quarter of it, in percent, and of each piece, in bytes, as it is read. */
    private boolean stream(Peer peer, IntConsumer atQuarter, IntConsumer atPiece) {
        Channel channel = await(peer.channel(Receiver.SHA256));
        Progress progress = new Progress(out, terminal, subject.size(), atQuarter);
        IntConsumer onRead = progress::add;
        FilePieces pieces = new FilePieces(subject.file(), channel.allocator(), onRead.andThen(atPiece));
        long begun = System.nanoTime();
        Message answer;
        try {
            answer = channel.send(pieces.flux())
                    .then(channel.receive().next())
                    .blockOptional()
                    .orElseThrow(() -> new ProgramFailed("The second process ended the stream without an answer."));
        } finally {
            progress.end();
        }
        return report(answer, Duration.ofNanos(System.nanoTime() - begun), pieces.patience());
    }

    private boolean report(Message answer, Duration took, Patience patience) {
        String digest = answer.text();
        answer.release();
        String busy = Objects.requireNonNull(answer.control().get(SlowDigest.BUSY));
        boolean same = digest.equals(subject.digest());
        row("SHA-256", digest + (same ? ", the same" : ", NOT the same as here"));
        row(
                "speed",
                Units.rate(subject.size(), took) + ": " + Units.megabytes(subject.size()) + " in "
                        + Units.seconds(took));
        row(
                "slow stage",
                "at work for " + Units.seconds(Duration.ofNanos(Long.parseLong(busy)))
                        + " of it, in the other process");
        row(
                "backpressure",
                "the reader stood still for " + Units.seconds(patience.idle()) + ", " + patience.pauses()
                        + " times, until the stage asked for more");
        return same;
    }

    private static Memory memoryOf(Peer peer) {
        return Memory.of(await(peer.ask(Receiver.MEMORY, Message.of(""))));
    }

    private void row(String label, String text) {
        out.printf("  %-13s %s%n", label, text);
        out.flush();
    }

    private void complain(String line) {
        out.println("  the second process says: " + line);
        out.flush();
    }

    private static <T> T await(Mono<T> mono) {
        return mono.blockOptional(LIMIT).orElseThrow();
    }
}
