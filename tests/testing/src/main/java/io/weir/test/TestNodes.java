package io.weir.test;

import io.weir.channel.Node;
import io.weir.channel.NodeSpec;
import io.weir.channel.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * <p>Each node listens on the loopback interface at a free port. Who connects through a {@link #route} can be parted from the other.
 * {@link #close()} ends all and checks what is left behind.
 *
 * <p>The methods wait for what they bring about, for at most 30 seconds each, so they are for a test's own thread. Any thread may call them.
 */
public final class TestNodes implements AutoCloseable {

    /** Far longer than anything takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String[] order;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<Way, FaultyRoute> routes = new LinkedHashMap<>();
    private boolean closed;

    /** From one name to another. */
    private record Way(String from, String to) {}

    private TestNodes(String... order) {
        this.order = order;
        Leaks.listen();
    }

    /**
     * Nodes that use these paths in this order, and no others: {@code "local"} for the fastest test, {@code "tcp"} for one in which a
     * {@link FaultyRoute} has all that nodes say to each other.
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
     * Starts a node and waits until it has started. Routes to this name lead to it from now on, so one that takes the place of a {@link #kill killed}
     * one is found by whoever knew that.
     *
     * @param settings what differs from a node with this name that listens on the loopback interface
     * @throws IllegalStateException if there is one of this name already
     */
    public Node start(String name, UnaryOperator<NodeSpec.Builder> settings) {
        refuseDouble(name);
        NodeSpec.Builder spec = NodeSpec.builder().name(name).order(order);
        Node node = await("starting " + name, Node.start(settings.apply(spec).build()));
        synchronized (this) {
            nodes.put(name, node);
            routes.forEach((way, route) -> {
                if (way.to.equals(name)) {
                    route.leadTo(node.address());
                }
            });
        }
        return node;
    }

    private synchronized void refuseDouble(String name) {
        if (closed || nodes.containsKey(name)) {
            throw new IllegalStateException(
                    closed
                            ? "these nodes were closed"
                            : "there is a node '" + name + "' already: close or kill it first");
        }
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
     * The way from one node to another; the same one each time. It can be asked for before either is started, so that its address can be
     * configured: {@code settings.peer("prices", nodes.route("orders", "prices").address().toString())}. Until the other is started,
     * connections over it are reset.
     */
    public synchronized FaultyRoute route(String from, String to) {
        if (closed) {
            throw new IllegalStateException("these nodes were closed");
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
     * Ends a node as the end of its process would: it says goodbye to nobody, and what it had not sent is lost. Its threads and its memory are
     * free when this returns. Connections to it are refused until one of the same name is {@link #start started}.
     */
    public void kill(String name) {
        Node node = node(name);
        awaitEnd("killing " + name, node.kill());
        synchronized (this) {
            nodes.remove(name, node);
        }
    }

    /** {@link FaultyRoute#mend Mends} all routes. */
    public synchronized void mend() {
        routes.values().forEach(FaultyRoute::mend);
    }

    /**
     * Mends all routes, closes all nodes and then the routes, and looks whether everything has ended.
     *
     * @throws AssertionError if a node can't be closed, or if Netty's leak detector has found buffers that were dropped without a release since
     *     the last look. It is asked for each buffer of this JVM, and can be heard if nothing else has used Netty before the first
     *     {@code TestNodes}; otherwise it only logs.
     */
    @Override
    public void close() {
        List<Node> ending;
        List<FaultyRoute> ways;
        synchronized (this) {
            if (closed) {
                return;
            }
            mend();
            closed = true;
            ending = List.copyOf(nodes.values());
            ways = List.copyOf(routes.values());
        }
        List<String> complaints = new ArrayList<>();
        // All at once: each waits until those that it talks to have had everything.
        List<Mono<Void>> ends = ending.stream().map(Node::close).toList();
        try {
            awaitEnd("closing " + ending, Mono.whenDelayError(ends));
        } catch (AssertionError e) {
            complaints.add(String.valueOf(e.getMessage()));
        }
        ways.forEach(FaultyRoute::close);
        Leaks.found().forEach(leak -> complaints.add("a buffer was dropped without a release: " + leak));
        if (!complaints.isEmpty()) {
            throw new AssertionError(String.join("\n", complaints));
        }
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
