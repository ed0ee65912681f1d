package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.integration.HeldResources;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** How connections begin: one for each pair of nodes, however many are tried at once and from where. */
@Tag("one-jdk")
class ConnectingTest implements OnRoute {

    private static Mono<String> ask(Peer peer) {
        return peer.ask("who", Message.of("?")).map(message -> {
            String text = message.text();
            message.release();
            return text;
        });
    }

    private static Node named(Nodes nodes, NodeSpec spec) {
        Node node = nodes.start(spec);
        var unused = node.answer("who", message -> {
            message.release();
            return Mono.just(Message.of(node.spec().name()));
        });
        return node;
    }

    @Test
    void whoWaitsForTheEndOfANodeDoesNotEndIt(Nodes nodes) {
        Node node = nodes.start(Route.LOCAL.spec("node").build());
        AtomicInteger ends = new AtomicInteger();
        var unused = node.closed().subscribe(nothing -> {}, error -> {}, ends::incrementAndGet);
        Node other = nodes.start(Route.LOCAL.spec("other").build());
        assertThat(other.connect(node.address()).block(Patience.LIMIT)).isNotNull();
        assertThat(ends).hasValue(0);

        node.close().block(Patience.LIMIT);
        node.close().block(Patience.LIMIT);
        node.closed().block(Patience.LIMIT);
        assertThat(ends).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void connectingTwiceYieldsTheSamePeer(Route route, Nodes nodes) {
        Node near = named(nodes, route.spec("near").build());
        Node far = named(nodes, route.spec("far").build());

        Peer first = near.connect(far.address()).block(Patience.LIMIT);
        Peer second = near.connect(far.address().toString()).block(Patience.LIMIT);

        assertThat(second).isSameAs(first);
        assertThat(near.connected()).containsExactly(first);
        assertThat(first.id()).isEqualTo(far.id());
        StepVerifier.create(ask(first)).expectNext("far").expectComplete().verify(Patience.LIMIT);
        // The other one has it as well, and need not connect back.
        Peer back = far.connect(near.address()).block(Patience.LIMIT);
        assertThat(far.connected()).containsExactly(back);
        StepVerifier.create(ask(back)).expectNext("near").expectComplete().verify(Patience.LIMIT);
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void manyAtOnce(Route route, Nodes nodes) {
        Node far = named(nodes, route.spec("far").loops(2).build());
        Node near = named(nodes, route.spec("near").loops(2).build());

        List<Peer> peers = Flux.range(0, 50)
                .flatMap(i -> near.connect(far.address()).subscribeOn(Schedulers.parallel()), 50)
                .collectList()
                .block(Patience.LIMIT);

        assertThat(new HashSet<>(peers)).hasSize(1);
        assertThat(near.connected()).hasSize(1);
        Patience.until(
                () -> "one connection: " + far.connected(),
                () -> far.connected().size() == 1);
        StepVerifier.create(ask(peers.get(49)))
                .expectNext("far")
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void bothConnectAtOnce(Route route, Nodes nodes) {
        for (int round = 0; round < 25; round++) {
            Node one = named(nodes, route.spec("one").build());
            Node two = named(nodes, route.spec("two").build());

            Flux<Peer> both = Flux.merge(
                    one.connect(two.address()).subscribeOn(Schedulers.parallel()),
                    two.connect(one.address()).subscribeOn(Schedulers.parallel()));
            List<Peer> peers = both.collectList().block(Patience.LIMIT);

            assertThat(peers).hasSize(2);
            for (Peer peer : peers) {
                String expected = peer.id().name();
                StepVerifier.create(ask(peer))
                        .expectNext(expected)
                        .expectComplete()
                        .verify(Patience.LIMIT);
            }
            assertThat(one.connected()).hasSize(1);
            assertThat(two.connected()).hasSize(1);
            Flux.merge(one.close(), two.close()).blockLast(Patience.LIMIT);
        }
    }

    /** A full net, each with each, all at once. */
    @Test
    void everybodyWithEverybody(Nodes nodes) {
        List<Node> all = Flux.range(0, 6)
                .map(i -> named(nodes, Route.any("n" + i).order("tcp").build()))
                .collectList()
                .block(Patience.LIMIT);

        Long connections = Flux.fromIterable(all)
                .flatMap(from -> Flux.fromIterable(all)
                        .filter(to -> to != from)
                        .flatMap(to -> from.connect(to.address())
                                .subscribeOn(Schedulers.parallel())
                                .flatMap(peer -> ask(peer)
                                        .doOnNext(name -> assertThat(name)
                                                .isEqualTo(to.spec().name())))))
                .count()
                .block(Patience.LIMIT);

        assertThat(connections).isEqualTo(30);
        for (Node node : all) {
            assertThat(node.connected()).hasSize(5);
        }
    }

    @ParameterizedTest
    @EnumSource(Route.class)
    void toOneself(Route route, Nodes nodes) {
        Node node = named(nodes, route.spec("me").build());

        Peer me = node.connect(node.address()).block(Patience.LIMIT);

        assertThat(me.id()).isEqualTo(node.id());
        StepVerifier.create(ask(me)).expectNext("me").expectComplete().verify(Patience.LIMIT);
        Peer again = node.connect(node.address()).block(Patience.LIMIT);
        StepVerifier.create(ask(again)).expectNext("me").expectComplete().verify(Patience.LIMIT);
        assertThat(again).isSameAs(me);
        StepVerifier.create(me.close()).expectComplete().verify(Patience.LIMIT);
        Patience.until(
                () -> "both ends are gone: " + node.connected(),
                () -> node.connected().isEmpty());
    }

    @Test
    void overAUnixSocket(Nodes nodes, @TempDir Path folder) {
        Path socket = folder.resolve("node.sock");
        Node far = named(
                nodes, Route.any("far").listen("unix:" + socket).order("tcp").build());
        Node near = named(nodes, Route.any("near").order("tcp").build());
        assertThat(Files.exists(socket)).isTrue();

        StepVerifier.create(near.connect("unix:" + socket).flatMap(ConnectingTest::ask))
                .expectNext("far")
                .expectComplete()
                .verify(Patience.LIMIT);

        far.close().block(Patience.LIMIT);
        assertThat(Files.exists(socket)).isFalse();
    }

    @Test
    void severalAddresses(Nodes nodes) {
        Node far =
                named(nodes, Route.any("far").listen("127.0.0.1:0", "[::1]:0").build());
        assertThat(far.addresses()).hasSize(2);
        Node near = named(nodes, Route.any("near").build());

        Peer first = near.connect(far.addresses().get(0)).block(Patience.LIMIT);
        Peer second = near.connect(far.addresses().get(1)).block(Patience.LIMIT);

        assertThat(second).isSameAs(first);
    }

    @Test
    void byName(Nodes nodes) {
        Node far = named(nodes, Route.any("far").build());
        Node near = named(
                nodes, Route.any("near").peer("desk", far.address().toString()).build());

        StepVerifier.create(near.peer("desk").flatMap(ConnectingTest::ask))
                .expectNext("far")
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(near.peer("disk"))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Misconfigured.class)
                        .hasMessageContaining("'disk'")
                        .hasMessageContaining("[desk]"))
                .verify(Patience.LIMIT);
    }

    @Test
    void anAbsentPeer(Nodes nodes) throws IOException {
        Node near = nodes.start("near");
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            free = socket.getLocalPort();
        }
        for (String address : List.of("127.0.0.1:" + free, "unix:/nowhere/node.sock", "no-such-host.invalid:7000")) {
            StepVerifier.create(near.connect(address))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(PeerUnavailable.class)
                            .hasMessageContaining(address))
                    .verify(Patience.LIMIT);
        }
        StepVerifier.create(near.connect("nonsense"))
                .expectError(Misconfigured.class)
                .verify(Patience.LIMIT);
    }

    /** Each would keep a descriptor for as long as a closing connection waits for the other side's end. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void refusedDialsKeepFewDescriptors(Nodes nodes) throws IOException, InterruptedException {
        Node node = nodes.start(
                Route.any("dialler").transportOption("tcp", "linger", "1m").build());
        List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread stranger = new Thread(() -> answerLikeAnother(server, accepted), "stranger");
            stranger.start();
            long before = HeldResources.now().descriptors();
            for (int i = 0; i < 200; i++) {
                assertThatThrownBy(() -> node.connect("tcp://127.0.0.1:" + server.getLocalPort())
                                .block(Patience.LIMIT))
                        .isInstanceOf(WeirException.class);
            }
            Patience.until("the stranger has them all", () -> accepted.size() >= 200);
            // The stranger's ends are in this process as well.
            Patience.until("few are left", () -> HeldResources.now().descriptors() - before - accepted.size() < 80);
            server.close();
            stranger.join();
        } finally {
            for (Socket each : accepted) {
                each.close();
            }
        }
    }

    private static void answerLikeAnother(ServerSocket server, List<Socket> accepted) {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                accepted.add(socket);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Test
    void anAddressInUse(Nodes nodes) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String address = "127.0.0.1:" + socket.getLocalPort();
            NodeSpec spec = Route.any("second").listen("127.0.0.1:0", address).build();
            assertThatThrownBy(() -> nodes.start(spec))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining(address);
        }
    }

    @Test
    void moreThanMayConnect(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.maxPeers(2));
        Node first = nodes.start("first");
        Node second = nodes.start("second");
        Node third = nodes.start("third");
        var unusedFirst = first.connect(far.address()).block(Patience.LIMIT);
        var unusedSecond = second.connect(far.address()).block(Patience.LIMIT);

        StepVerifier.create(third.connect(far.address()))
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(WeirException.class).hasMessageContaining("weir.max.peers"))
                .verify(Patience.LIMIT);

        first.close().block(Patience.LIMIT);
        Patience.until("there is room", () -> far.connected().size() == 1);
        StepVerifier.create(third.connect(far.address()))
                .expectNextCount(1)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    @Test
    void moreThanItMayConnectTo(Nodes nodes) {
        Node near = nodes.start("near", spec -> spec.maxPeers(1));
        Node first = nodes.start("first");
        Node second = nodes.start("second");
        Peer peer = Objects.requireNonNull(near.connect(first.address()).block(Patience.LIMIT));

        StepVerifier.create(near.connect(second.address()))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(Overloaded.class)
                        .hasMessageContaining("there are 1 peers already (weir.max.peers)"))
                .verify(Patience.LIMIT);
        assertThat(near.connect(first.address()).block(Patience.LIMIT)).isEqualTo(peer);
        assertThat(first.connect(near.address()).block(Patience.LIMIT)).isNotNull();

        peer.close().block(Patience.LIMIT);
        Patience.until("there is room", () -> near.connected().isEmpty());
        assertThat(near.connect(second.address()).block(Patience.LIMIT)).isNotNull();
    }

    /** Each has room for the other, and for nobody else. */
    @Test
    void twoThatConnectToEachOtherNeedOnePlace(Nodes nodes) {
        Node near = nodes.start("near", spec -> spec.maxPeers(1));
        Node far = nodes.start("far", spec -> spec.maxPeers(1));
        for (int round = 0; round < 50; round++) {
            var peers = Mono.zip(near.connect(far.address()), far.connect(near.address()))
                    .blockOptional(Patience.LIMIT)
                    .orElseThrow();
            peers.getT1().close().block(Patience.LIMIT);
            Patience.until(
                    "both are alone",
                    () -> near.connected().isEmpty() && far.connected().isEmpty());
        }
    }

    /** Who loses interest while connecting leaves nothing behind, whatever step it had reached. */
    @Test
    void connectingAndGivingUp(Nodes nodes) {
        Node near = nodes.start("near");
        Node far = nodes.start("far");
        for (int round = 0; round < 400; round++) {
            Probe<Peer> connecting = Probe.of(1, peer -> {});
            near.connect(far.address()).subscribe(connecting);
            for (int spin = round % 200 * 500; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            connecting.cancel();
        }
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);
        assertThat(near.connected()).containsExactly(peer);
        Patience.until(
                () -> "one connection: " + far.connected(),
                () -> far.connected().size() == 1);
    }

    @Test
    void openingAndGivingUp(Nodes nodes) {
        Pair pair = nodes.pair();
        pair.far()
                .serve(
                        "door",
                        channel -> channel.receive().doOnNext(Message::release).then());
        for (int round = 0; round < 400; round++) {
            Probe<Channel> opening = Probe.of(1, channel -> channel.close().subscribe());
            pair.peer().channel("door").subscribe(opening);
            for (int spin = round % 200 * 100; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            opening.cancel();
        }
        for (Node node : List.of(pair.near(), pair.far())) {
            Patience.until(
                    () -> "no channel is left: " + node.stats(),
                    () -> node.stats().stream().allMatch(stats -> stats.channels() == 0));
        }
    }

    @Test
    void startingAndGivingUp(Nodes nodes) {
        for (int round = 0; round < 100; round++) {
            Probe<Node> starting = Probe.of(1, node -> node.close().subscribe());
            Node.start(Route.any("hasty").build()).subscribe(starting);
            for (int spin = round % 20 * 5_000; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            starting.cancel();
        }
        assertThat(nodes.route()).isEqualTo(Route.TCP);
    }

    @Test
    void aClosedNode(Nodes nodes) {
        Node near = nodes.start("near");
        Node far = nodes.start("far");
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);

        near.close().block(Patience.LIMIT);
        near.close().block(Patience.LIMIT);

        StepVerifier.create(near.connect(far.address()))
                .expectError(IllegalStateException.class)
                .verify(Patience.LIMIT);
        assertThatThrownBy(() -> near.serve("x", channel -> Mono.empty())).isInstanceOf(IllegalStateException.class);
        StepVerifier.create(peer.channel("x")).expectError(SessionLost.class).verify(Patience.LIMIT);
        StepVerifier.create(peer.ask("x", Message.of("?")))
                .expectError(SessionLost.class)
                .verify(Patience.LIMIT);
        StepVerifier.create(peer.close()).expectComplete().verify(Patience.LIMIT);
        assertThat(near.connected()).isEmpty();
        StepVerifier.create(far.connect(near.address()))
                .expectError(PeerUnavailable.class)
                .verify(Patience.LIMIT);
    }

    /** A node that closes while others connect to it: they hear it, at once. */
    @Test
    void closingWhileOthersConnect(Nodes nodes) {
        // Who has given way to a connection that dies before it has said whose it is learns that by its time limit
        // only.
        Node near = nodes.start("near", spec -> spec.handshakeTimeout(Duration.ofSeconds(20)));
        for (int round = 0; round < 20; round++) {
            Node far = nodes.start("far");
            Probe<Peer> connecting = Probe.of(1, peer -> {});
            near.connect(far.address()).subscribe(connecting);
            Probe<Peer> back = Probe.of(1, peer -> {});
            far.connect(near.address()).subscribe(back);
            for (int spin = round * 2_000; spin > 0; spin--) {
                Thread.onSpinWait();
            }
            far.close().block(Patience.LIMIT);
            connecting.awaitEnd();
            back.awaitEnd();
            Set<Class<?>> failures = new HashSet<>();
            if (connecting.error() != null) {
                failures.add(connecting.error().getClass());
            }
            assertThat(failures).isSubsetOf(Set.of(PeerUnavailable.class, Refused.class));
            Patience.until(
                    () -> "nobody is left: " + near.connected(),
                    () -> near.connected().isEmpty());
        }
    }

    /** A peer that comes back is connected to anew. */
    @Test
    void againAfterTheEnd(Nodes nodes) {
        Node near = named(nodes, Route.any("near").build());
        Node far = named(nodes, Route.any("far").build());
        Set<Peer> seen = new HashSet<>();
        for (int round = 0; round < 10; round++) {
            Peer peer =
                    (round % 2 == 0 ? near.connect(far.address()) : far.connect(near.address())).block(Patience.LIMIT);
            assertThat(seen.add(peer)).isTrue();
            StepVerifier.create(ask(peer)).expectNextCount(1).expectComplete().verify(Patience.LIMIT);
            (round % 3 == 0 ? near.connected().get(0) : far.connected().get(0))
                    .close()
                    .block(Patience.LIMIT);
            Patience.until(
                    "both know",
                    () -> near.connected().isEmpty() && far.connected().isEmpty());
        }
    }

    @Test
    void pathsOfTheirOwn(Nodes nodes) {
        Node near = nodes.start(Route.any("near").build());
        Node far = nodes.start(Route.any("far").build());

        Peer peer = near.connect(
                        far.address(),
                        Route.any("x")
                                .order("tcp")
                                .path("tcp", PathSwitch.REQUIRED)
                                .build()
                                .paths())
                .block(Patience.LIMIT);

        assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo("tcp");
    }

    /** Two loops hand channels to one subscriber, who leaves with the first one in hand. */
    @Test
    void whatWasAcceptedForOneWhoLeavesIsClosed(Nodes nodes) {
        Node far = nodes.start(Route.TCP.spec("far").loops(2).build());
        Map<PeerId, Channel> opened = new ConcurrentHashMap<>();
        AtomicReference<Channel> inHand = new AtomicReference<>();
        AtomicReference<Probe<Channel>> leaving = new AtomicReference<>();
        Probe<Channel> accepting = Probe.of(Long.MAX_VALUE, channel -> {
            inHand.set(channel);
            // By the other loop, as this one is held up here.
            Patience.until("another one is accepted", () -> !opened.isEmpty());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            Objects.requireNonNull(leaving.get()).cancel();
        });
        leaving.set(accepting);
        far.accept("door").subscribe(accepting);
        for (String name : List.of("one", "two")) {
            Node node = nodes.start(Route.TCP.spec(name).build());
            Peer peer = Objects.requireNonNull(node.connect(far.address()).block(Patience.LIMIT));
            peer.channel("door").subscribe(channel -> opened.put(node.id(), channel));
        }

        Patience.until("both are accepted", () -> opened.size() == 2);
        opened.remove(Objects.requireNonNull(inHand.get()).peer().id());
        for (Channel other : opened.values()) {
            StepVerifier.create(other.receive()).expectComplete().verify(Patience.LIMIT);
        }
    }
}
