package io.weir.samples.process;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.WeirException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The processes of a sample: this one, with its node, and those that it has started. Tells what happens. */
public final class Cast implements AutoCloseable {

    /** For what takes a second. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final @Nullable String path;
    private final PrintWriter out;
    private final Node node;
    private final List<Child> children = new ArrayList<>();

    /**
     * Starts our node.
     *
     * @param path which must connect us; null for any
     */
    public Cast(@Nullable String path, NodeSpec spec, PrintWriter out) {
        this.path = path;
        this.out = out;
        this.node = await(Node.start(spec));
    }

    /** The node of this process. */
    public Node node() {
        return node;
    }

    /**
     * Starts a process, which ends with this one, and connects to it.
     *
     * @param main runs a {@link Serving} node
     * @throws ProgramFailed if it does not start, or if the path that must be is not there
     */
    public Peer start(String name, Class<?> main, String... arguments) {
        return connect(begin(name, main, arguments), name);
    }

    /** As {@link #start}, for several processes at once, which are told their names. */
    public List<Peer> startAll(Class<?> main, List<String> names) {
        List<Child> begun = names.stream().map(name -> begin(name, main, name)).toList();
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < begun.size(); i++) {
            peers.add(connect(begun.get(i), names.get(i)));
        }
        return peers;
    }

    private Child begin(String name, Class<?> main, String... arguments) {
        Child child = Child.begin(
                "The process '" + name + "'",
                Place.further(OwnJava.shortCommand(main, arguments)),
                Place.furtherSettings(),
                line -> row(name, "says: " + line));
        children.add(child);
        return child;
    }

    private Peer connect(Child child, String name) {
        child.awaitReady();
        Peer peer = await(node.connect(child.address()));
        if (path != null) {
            check(path, peer);
        }
        String over = peer.path().chosen().map(chosen -> chosen.path()).orElse("nothing");
        row(name, "process " + child.pid() + ", over " + over);
        return peer;
    }

    private void check(String wanted, Peer peer) {
        if (!OnePath.connects(wanted, peer)) {
            out.println("  " + peer.path().toString().replace("\n", "\n  "));
        }
        OnePath.check(wanted, peer);
    }

    /**
     * What comes of this.
     *
     * @throws ProgramFailed if nothing comes of it in time
     */
    public <T> T await(Mono<T> mono) {
        try {
            return mono.blockOptional(LIMIT)
                    .orElseThrow(() -> new ProgramFailed("A stream has ended without an answer."));
        } catch (IllegalStateException e) {
            throw new ProgramFailed("Nothing has come for " + LIMIT.toSeconds() + " s: " + e.getMessage(), e);
        }
    }

    /** Tells something. Any thread. */
    public void row(String label, String text) {
        out.printf("  %-13s %s%n", label, text);
        out.flush();
    }

    /**
     * Tells what the sample shows.
     *
     * @throws ProgramFailed if it does not
     */
    public void shows(boolean really, String what) {
        if (!really) {
            throw new ProgramFailed("It does not hold that " + what + '.');
        }
        row("so", what);
    }

    @Override
    public void close() {
        try {
            node.close().block(LIMIT);
        } catch (WeirException | IllegalStateException e) {
            row("closing", "failed: " + e.getMessage());
        } finally {
            children.forEach(Child::close);
        }
    }
}
