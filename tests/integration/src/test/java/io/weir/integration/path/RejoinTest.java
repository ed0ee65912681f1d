package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Repath;
import io.weir.core.FrameKind;
import io.weir.core.SessionLost;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.integration.Sizes;
import io.weir.integration.Stranger;
import io.weir.peer.PathDecision;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions whose bootstrap connection breaks while both nodes live. */
@Tag("one-jdk")
class RejoinTest implements OnRoute {

    private static final UnaryOperator<NodeSpec.Builder> BOTH = spec -> spec.order("shm", "tcp")
            .repathProbation(Duration.ofMillis(10))
            .rejoinTimeout(Duration.ofSeconds(30))
            // At the end of a test nobody is there any more to whom anything could be delivered.
            .drainTimeout(Duration.ofSeconds(1));

    private static final UnaryOperator<NodeSpec.Builder> IMPATIENT =
            BOTH.andThen(spec -> spec.rejoinTimeout(Duration.ofMillis(100)))::apply;

    private static Pair through(Relay relay, Nodes nodes, UnaryOperator<NodeSpec.Builder> ofNear, Node far) {
        Node near = nodes.start("near", ofNear);
        Peer peer = Objects.requireNonNull(near.connect(relay.address()).block(Patience.LIMIT));
        return Echoed.serving(new Pair(near, far, peer));
    }

    private static String path(Peer peer) {
        return peer.path().chosen().map(PathDecision.Attempt::path).orElse("none");
    }

    private static void awaitShm(Peer peer) {
        Patience.until(
                () -> "it goes over shm, not as " + peer.pathHistory(),
                () -> path(peer).equals("shm"));
    }

    /**
     * Parts the two again and again in this way: each time they find each other, and the streams go on, up to their
     * end.
     */
    private static void again(Relay relay, Parting parting, Echoed... streams) throws IOException {
        for (int round = 0; round < 10; round++) {
            int before = relay.accepted();
            parting.in(round);
            Patience.until("it connects anew", () -> relay.accepted() > before);
            for (Echoed stream : streams) {
                stream.goesOn();
            }
        }
        for (Echoed stream : streams) {
            stream.end();
        }
    }

    private interface Parting {
        void in(int round) throws IOException;
    }

    /** Of everything that there is between the two. */
    private static Parting ofAll(Relay relay, Pair pair) {
        return round -> {
            relay.refuse();
            relay.part(round % 2 == 0);
            // While it goes over TCP, which is parted already, there is nothing else to cut.
            pair.peer().cut().onErrorComplete().block(Patience.LIMIT);
            relay.listen();
        };
    }

    /** A node that closes each connection as soon as it has agreed to go on keeps nobody busy. */
    @Test
    void whoAgreesAndClosesAgainAndAgainIsDialledMoreSlowly(Nodes nodes) throws IOException {
        Node far = nodes.start("far", BOTH);
        Node near = nodes.start("near", BOTH);
        Peer honest = Objects.requireNonNull(near.connect(far.address()).block(Patience.LIMIT));
        Echoed stream = new Echoed(Echoed.serving(new Pair(near, far, honest)), 1, Sizes.TINY);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            var peer = near.connect("tcp://127.0.0.1:" + server.getLocalPort()).toFuture();
            Stranger first = Stranger.of(server.accept());
            first.join();
            assertThat(peer).succeedsWithin(Patience.LIMIT);
            first.close();
            int atOnce = 16;
            int more = 6;
            long since = System.nanoTime();
            for (int round = 0; round < atOnce + more; round++) {
                try (Stranger next = first.again(server.accept())) {
                    next.greet();
                    long number = next.await(FrameKind.REJOIN).first();
                    next.send(FrameKind.REJOIN, 0, number, 0);
                }
            }
            Duration took = Duration.ofNanos(System.nanoTime() - since);
            assertThat(took).isGreaterThan(Duration.ofMillis(250).multipliedBy(more - 1));
        }
        stream.goesOn();
        stream.end();
    }

    /** What goes over shared memory does not notice. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isPartedAgainAndAgain(boolean reset, Nodes nodes) throws IOException {
        Node far = nodes.start("far", BOTH);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, BOTH, far);
            Echoed small = new Echoed(pair, 1, Sizes.TINY);
            Echoed mixed = new Echoed(pair, 2, Sizes.MIXED);
            again(relay, round -> relay.part(reset), small, mixed);
            awaitShm(pair.peer());
        }
    }

    /** Where the bootstrap connection carries everything, what was under way goes again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isPartedWithEverythingOnIt(boolean reset, Nodes nodes) throws IOException {
        UnaryOperator<NodeSpec.Builder> tcp = BOTH.andThen(spec -> spec.order("tcp"))::apply;
        Node far = nodes.start("far", tcp);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, tcp, far);
            Echoed small = new Echoed(pair, 11, Sizes.TINY);
            Echoed mixed = new Echoed(pair, 12, Sizes.MIXED);
            Echoed large = new Echoed(pair, 13, Sizes.LONG);
            again(relay, round -> relay.part(reset), small, mixed);
            large.end();
        }
    }

    /** The same while the data links break as well. */
    @Test
    void isCutMeanwhile(Nodes nodes) throws IOException {
        Node far = nodes.start("far", BOTH);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, BOTH, far);
            Echoed small = new Echoed(pair, 3, Sizes.TINY);
            Echoed mixed = new Echoed(pair, 4, Sizes.MIXED);
            again(relay, ofAll(relay, pair), small, mixed);
            assertThat(pair.near().stats().get(0).moves()).isPositive();
        }
    }

    /** Begins over tcp and climbs at once; where an operator wanted it before is lost with everything else. */
    @ParameterizedTest(name = "the bootstrap connection's end is noticed first: {0}")
    @ValueSource(booleans = {false, true})
    void climbsBackFromTcp(boolean noticed, Nodes nodes) throws IOException {
        UnaryOperator<NodeSpec.Builder> slow = BOTH.andThen(spec -> spec.repathProbation(Duration.ofHours(1)))::apply;
        Node far = nodes.start("far", slow);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, slow, far);
            Echoed mixed = new Echoed(pair, 14, Sizes.MIXED);
            var unused = pair.peer().moveTo("shm").block(Patience.LIMIT);
            mixed.goesOn();
            relay.refuse();
            relay.part(true);
            if (noticed) {
                relay.awaitRedial();
            }
            pair.peer().cut().block(Patience.LIMIT);
            relay.listen();
            mixed.goesOn();
            awaitShm(pair.peer());
            mixed.goesOn();
            mixed.end();
            assertThat(pair.peer().pathHistory().stream()
                            .map(decision -> decision.chosen()
                                    .map(PathDecision.Attempt::path)
                                    .orElse("none")))
                    .containsExactly("shm", "tcp", "shm");
        }
    }

    /** A node with several loops is asked until the connection is on the session's. */
    @Test
    void findsItsLoop(Nodes nodes) throws IOException {
        Node far = nodes.start("far", BOTH.andThen(spec -> spec.loops(4))::apply);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, BOTH, far);
            Echoed mixed = new Echoed(pair, 5, Sizes.MIXED);
            again(relay, ofAll(relay, pair), mixed);
            assertThat(pair.near().stats().get(0).moves()).isPositive();
        }
    }

    @Test
    void endsWhenNobodyAnswers(Nodes nodes) throws IOException {
        Node far = nodes.start("far", IMPATIENT);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, IMPATIENT, far);
            Echoed stream = new Echoed(pair, 6, Sizes.TINY);
            stream.goesOn();
            relay.refuse();
            relay.part(false);
            assertThat(stream.failure())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageContaining(pair.far().id() + " is gone")
                    .hasMessageContaining("Connection refused");
            Patience.until("both sides have noticed", () -> far.connected().isEmpty());
        }
    }

    /** Whoever answers is another one, though it has the name and the address. */
    @Test
    void isNotMistakenForItsFormerSelf(Nodes nodes) throws IOException {
        Node far = nodes.start("far", BOTH);
        try (Relay relay = new Relay(far.address())) {
            Pair pair = through(relay, nodes, BOTH, far);
            Echoed stream = new Echoed(pair, 7, Sizes.TINY);
            stream.goesOn();
            relay.refuse();
            Node again = nodes.start("far", BOTH);
            try (Relay other = new Relay(relay.address(), again.address())) {
                relay.part(false);
                assertThat(stream.failure())
                        .isInstanceOf(SessionLost.class)
                        .hasMessageContaining("it has been started anew: " + again.id());
            }
        }
    }

    @Test
    void endsWithItsConnectionIfItMayNotMove(Nodes nodes) throws IOException {
        UnaryOperator<NodeSpec.Builder> never = IMPATIENT.andThen(spec -> spec.repath(Repath.OFF))::apply;
        for (boolean near : new boolean[] {true, false}) {
            Node far = nodes.start("far", near ? IMPATIENT : never);
            try (Relay relay = new Relay(far.address())) {
                Pair pair = through(relay, nodes, near ? never : IMPATIENT, far);
                Echoed stream = new Echoed(pair, 8, Sizes.TINY);
                stream.goesOn();
                relay.part(false);
                assertThat(stream.failure()).isInstanceOf(SessionLost.class);
                Patience.until("both sides have noticed", () -> far.connected().isEmpty());
            }
        }
    }
}
