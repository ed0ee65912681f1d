package io.weir.fabric.guest;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** The nodes of this process that a scene has; closing them is part of it. */
final class Nodes implements AutoCloseable {

    private final Fabric fabric;
    private final Path folder;
    private final Deque<Node> started = new ArrayDeque<>();

    /** All have their run-time files in this folder. */
    Nodes(Fabric fabric, Path folder) {
        this.fabric = fabric;
        this.folder = folder;
    }

    /** Starts one, which serves {@link Bodies}. */
    Node start(NodeSpec.Builder spec) {
        Node node = got(Node.start(spec.runtimeFolder(folder).build()));
        started.push(node);
        Bodies.serve(node);
        return node;
    }

    Node start(Fabric.End end, String... order) {
        return start(fabric.spec(end).order(order));
    }

    /** Both ends, with this path alone, as the near one sees the far one. */
    Peer connect() {
        Node far = start(Fabric.End.FAR, fabric.path);
        return connect(start(Fabric.End.NEAR, fabric.path), far);
    }

    /** The first one to start. */
    Node far() {
        return started.getLast();
    }

    static Peer connect(Node near, Node far) {
        return got(near.connect(far.address()));
    }

    /** That the last one to start has had of the one it has connected to. */
    long framesReceived() {
        return started.getFirst().stats().get(0).framesReceived();
    }

    /** The path that is used. */
    static String path(Peer peer) {
        return peer.path().chosen().orElseThrow().path();
    }

    /** Why a path is not. */
    static String reason(Peer peer, String path) {
        return peer.path().attempts().stream()
                .filter(attempt -> attempt.path().equals(path))
                .map(attempt -> attempt.outcome() + ": " + attempt.reason())
                .findFirst()
                .orElseThrow();
    }

    static <T> T got(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            started.pop().close().block(Patience.LIMIT);
        }
    }
}
