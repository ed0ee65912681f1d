package io.weir.service.socket;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The node that a JVM's sockets belong to where nobody can say which. */
final class JvmNode {

    private static final ReentrantLock LOCK = new ReentrantLock();
    private static @Nullable WeirSockets sockets;

    private JvmNode() {}

    static void use(Node node) {
        LOCK.lock();
        try {
            WeirSockets former = sockets;
            if (former != null && !former.node().equals(node) && !former.isOver()) {
                throw new IllegalStateException("the sockets of this JVM belong to "
                        + former.node().id() + " already: call WeirSockets.use once, before the first socket is made");
            }
            sockets = WeirSockets.of(node);
        } finally {
            LOCK.unlock();
        }
    }

    /** Started when it is first asked for, and closed when the JVM ends. */
    static WeirSockets get() throws IOException {
        LOCK.lock();
        try {
            WeirSockets known = sockets;
            if (known == null) {
                known = WeirSockets.of(start());
                sockets = known;
            } else if (known.isOver()) {
                // Whoever has closed it wants no other one: RMI's own threads go on making sockets.
                throw new IOException("the sockets of this JVM belonged to "
                        + known.node().id() + ", which is closed: give them another node with WeirSockets.use");
            }
            return known;
        } finally {
            LOCK.unlock();
        }
    }

    private static Node start() throws IOException {
        Outcome<Node> outcome = new Outcome<>(late -> {
            var unused = late.close().subscribe();
        });
        Node.start(NodeSpec.fromSystem()).subscribe(outcome);
        Node node = outcome.await(0, "");
        if (node == null) {
            throw new IOException(
                    "no node could be started for the sockets of this JVM: "
                            + Objects.requireNonNull(outcome.failure()).getMessage(),
                    outcome.failure());
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node), "weir-sockets-end"));
        return node;
    }

    /** Says goodbye, so that others need not find out. */
    private static void close(Node node) {
        Outcome<Void> outcome = new Outcome<>(nothing -> {});
        node.close().subscribe(outcome);
        outcome.awaitEnd();
    }
}
