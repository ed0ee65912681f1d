package io.weir.test;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Several nodes in one JVM, by name, and the routes between them.
 *
 * <pre>{@code
 * try (TestNodes nodes = TestNodes.over("tcp")) {
 *     Node prices = nodes.start("prices");
 *     Node orders = nodes.start("orders");
 *     Peer peer = nodes.connect("orders", "prices");
 *     nodes.route("orders", "prices").cut();
 *     ...
 *     nodes.route("orders", "prices").mend();
 *     nodes.kill("prices");
 *     ...
 * }
 * }</pre>
 *
 * <p>Each node listens on the loopback interface at a free port. Who connects through a {@link #route} can be parted
 * from the other. {@link #close()} ends all and checks what is left behind.
 *
 * <p>The methods wait for what they bring about, for at most 30 seconds each, so they are for a test's own thread. Any
 * thread may call them.
 */
public final class TestNodes implements AutoCloseable {

    /** Far longer than anything takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String[] order;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    /** Names of nodes that are being started. */
    private final Set<String> starting = new HashSet<>();

    private final Map<Way, FaultyRoute> routes = new LinkedHashMap<>();
    private boolean closed;

    /** From one name to another. */
    private record Way(String from, String to) {}

    private TestNodes(String... order) {
        this.order = order;
        Leaks.listen();
    }

    /**
     * Nodes that use these paths in this order, and no others: {@code "local"} for the fastest test, {@code "tcp"} for
     * one in which a {@link FaultyRoute} has all that nodes say to each other.
     */
    public static TestNodes over(String... paths) {
        if (paths.length == 0) {
            throw new IllegalArgumentException("name a path, such as local or tcp");
        }
        return new TestNodes(paths.clone());
    }

    /** As {@link #start(String, UnaryOperator)}, with nothing but the defaults. */
    public Node start(String name) {
        return start(name, settings -> settings);
    }

    /**
     * Starts a node and waits until it has started. Routes to this name lead to it from now on, so one that takes the
     * place of a {@link #kill killed} one is found by whoever knew that.
     *
     * @param settings what differs from a node with this name that listens on the loopback interface
     * @throws IllegalStateException if there is one of this name already, or another thread is just starting one
     */
    public Node start(String name, UnaryOperator<NodeSpec.Builder> settings) {
        reserve(name);
        try {
            NodeSpec.Builder spec = NodeSpec.builder().name(name).order(order);
            Node node =
                    await("starting " + name, Node.start(settings.apply(spec).build()));
            if (isKept(name, node)) {
                return node;
            }
            awaitEnd("closing " + name, node.close());
            throw wasClosed();
        } finally {
            release(name);
        }
    }

    private synchronized void reserve(String name) {
        if (closed) {
            throw wasClosed();
        }
        if (nodes.containsKey(name)) {
            throw new IllegalStateException("there is a node '" + name + "' already: close or kill it first");
        }
        if (!starting.add(name)) {
            throw new IllegalStateException("a node '" + name + "' is just being started by another thread");
        }
    }

    private synchronized void release(String name) {
        starting.remove(name);
    }

    /** Unless all were closed while it started. */
    private synchronized boolean isKept(String name, Node node) {
        if (!closed) {
            nodes.put(name, node);
            routes.forEach((way, route) -> {
                if (way.to.equals(name)) {
                    route.leadTo(node.address());
                }
            });
        }
        return !closed;
    }

    private static IllegalStateException wasClosed() {
        return new IllegalStateException("these nodes were closed");
    }

    /**
     * The node of this name.
     *
     * @throws IllegalArgumentException if there is none, or it was killed
     */
    public synchronized Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("there is no node '" + name + "'; started: " + nodes.keySet());
        }
        return node;
    }

    /**
     * The way from one node to another; the same one each time. It can be asked for before either is started, so that
     * its address can be configured: {@code settings.peer("prices", nodes.route("orders",
     * "prices").address().toString())}. Until the other is started, connections over it are reset.
     */
    public synchronized FaultyRoute route(String from, String to) {
        if (closed) {
            throw wasClosed();
        }
        return routes.computeIfAbsent(new Way(from, to), way -> {
            Node node = nodes.get(to);
            return node == null ? FaultyRoute.nowhere() : FaultyRoute.to(node.address());
        });
    }

    /** Connects two nodes over the {@link #route} between them, or yields the connection that they have. */
    public Peer connect(String from, String to) {
        Node node = node(from);
        FaultyRoute route = route(from, to);
        return await("connecting " + from + " to " + to, node.connect(route.address()));
    }

    /**
     * Ends a node as the end of its process would: it says goodbye to nobody, and what it had not sent is lost. Its
     * threads and its memory are free when this returns. Connections to it are refused until one of the same name is
     * {@link #start started}.
     */
    public void kill(String name) {
        Node node = node(name);
        awaitEnd("killing " + name, node.kill());
        synchronized (this) {
            nodes.remove(name, node);
        }
    }

    /**
     * {@link FaultyRoute#mend Mends} all routes but those that were closed.
     *
     * @throws AssertionError if there are some that can't be mended; the others are
     */
    public void mend() {
        List<FaultyRoute> ways;
        synchronized (this) {
            ways = List.copyOf(routes.values());
        }
        Complaints complaints = new Complaints();
        mend(ways, complaints);
        complaints.raise();
    }

    private static void mend(List<FaultyRoute> ways, Complaints complaints) {
        ways.stream().filter(way -> !way.isClosed()).forEach(way -> complaints.gather(way::mend));
    }

    /**
     * Mends all routes, closes all nodes and then the routes, and looks whether everything has ended: all of it,
     * whatever fails.
     *
     * @throws AssertionError if a route can't be mended or closed, if a node can't be closed, or if Netty's leak
     *     detector has found buffers that were dropped without a release since the last look; what was thrown is
     *     suppressed in it. The detector is asked for each buffer of this JVM, and can be heard if nothing else has
     *     used Netty before the first {@code TestNodes}; otherwise it only logs.
     */
    @Override
    public void close() {
        List<Node> ending;
        List<FaultyRoute> ways;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            ending = List.copyOf(nodes.values());
            ways = List.copyOf(routes.values());
        }
        Complaints complaints = new Complaints();
        mend(ways, complaints);
        // All at once: each waits until those that it talks to have had everything.
        List<Mono<Void>> ends = ending.stream().map(Node::close).toList();
        complaints.gather(() -> awaitEnd("closing " + ending, Mono.whenDelayError(ends)));
        ways.forEach(way -> complaints.gather(way::close));
        Leaks.found().forEach(leak -> complaints.add("a buffer was dropped without a release: " + leak));
        complaints.raise();
    }

    private static void awaitEnd(String what, Mono<Void> end) {
        var unused = await(what, end.thenReturn(true));
    }

    private static <T> T await(String what, Mono<T> outcome) {
        T value = outcome.timeout(
                        PATIENCE,
                        Mono.error(() -> new AssertionError(what + " took longer than " + PATIENCE.toSeconds() + " s")))
                .block();
        return Objects.requireNonNull(value);
    }
}
