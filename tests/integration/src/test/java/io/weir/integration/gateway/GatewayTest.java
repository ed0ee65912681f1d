package io.weir.integration.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.TunnelAnswer;
import io.weir.channel.TunnelRequest;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.integration.Child;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.peer.TunnelRoute;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Two nodes that have nothing but a gateway between them: what it does, whom it refuses, and what becomes of them when
 * one of the three goes.
 */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class GatewayTest implements OnRoute {

    private static final String ECHO = "echo";
    private static final GatewaySpec HERE = GatewaySpec.allowing("127.0.0.1");

    private static Node echoing(Node node) {
        var unused = node.serve(ECHO, channel -> channel.send(channel.receive()));
        return node;
    }

    /** Sends so many parcels to and fro, and checks each. */
    private static void echo(Peer peer, Sizes sizes, long count) {
        Source source = Source.of(sizes);
        Probe<Message> echoed = Probe.of(Long.MAX_VALUE, source.parcels().checker());
        peer.exchange(ECHO, source.flux(count)).subscribe(echoed);
        assertThat(echoed.awaitComplete().received()).isEqualTo(count);
    }

    private static Throwable failure(Mono<Peer> connecting) {
        Probe<Peer> outcome = Probe.of(1, peer -> {});
        connecting.subscribe(outcome);
        return outcome.awaitError();
    }

    private static <T> T got(Mono<T> outcome) {
        return Objects.requireNonNull(outcome.block(Patience.LIMIT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp", "local"})
    void aPeerIsReachedOverWhateverPathsThereAre(String path, Nodes nodes) {
        Joined joined = Joined.over(path, nodes);
        String way = "through " + joined.middle().id() + ": " + path + " - tcp";
        echoing(joined.server());

        Joined.assertThrough(joined.peer(), way);
        assertThat(joined.peer().path().attempts())
                .anySatisfy(attempt -> assertThat(attempt.reason())
                        .isEqualTo(
                                path.equals("tcp")
                                        ? "the peer is not reached directly, but " + way
                                        : attempt.reason()));
        echo(joined.peer(), Sizes.MIXED, 300);
        echo(joined.peer(), Sizes.LONG, 2);
        Peer back = joined.server().connected().stream()
                .filter(other -> other.id().equals(joined.client().id()))
                .findFirst()
                .orElseThrow();
        Joined.assertThrough(back, way);
        assertThat(joined.gateway().joined()).singleElement().satisfies(pair -> {
            assertThat(pair.client()).isEqualTo(joined.client().id());
            assertThat(pair.clientPath()).isEqualTo(path);
            assertThat(pair.target()).isEqualTo(joined.server().id());
            assertThat(pair.targetPath()).isEqualTo("tcp");
            assertThat(pair.toTarget()).isGreaterThan(1 << 20);
            assertThat(pair.toClient()).isGreaterThan(1 << 20);
            assertThat(pair.open()).isTrue();
        });

        joined.peer().close().block(Patience.LIMIT);

        Patience.until("the pair is gone", () -> joined.gateway().joined().isEmpty());
    }

    /**
     * What the ends prove through a gateway they prove to each other: one that leads elsewhere gets nobody in there.
     */
    @Test
    void aGatewayThatLeadsToSomebodyElse(Nodes nodes) {
        Secret secret = Secret.of("the-words-that-all-of-them-share");
        Node meant = nodes.start(Joined.remote("meant").secret(secret).build());
        Node other = echoing(nodes.start(Joined.remote("other").secret(secret).build()));
        Node middle = nodes.start(Joined.remote("middle").secret(secret).build());
        Peer elsewhere = got(middle.connect(other.address()));
        var unused = middle.serve(
                TunnelRequest.GATEWAY_PORT,
                request -> elsewhere
                        .channel(TunnelRequest.TUNNEL_PORT)
                        .flatMap(leg -> Mono.when(
                                leg.send(Flux.concat(
                                        Flux.just(TunnelRequest.greeting(TunnelRoute.NONE
                                                .gateway("middle")
                                                .leg("tcp"))),
                                        request.receive().skip(1))),
                                request.send(
                                        Flux.concat(Flux.just(TunnelAnswer.opened("middle", "tcp")), leg.receive())))));
        Node client = nodes.start(Joined.remote("client").secret(secret).build());
        Peer through = got(client.connect(middle.address()));

        assertThat(failure(client.connect(meant.address(), through)))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("'" + meant.address() + "'")
                .hasMessageContaining("weir.advertise of " + other.id());
        assertThat(other.connected()).hasSize(1);
        echo(elsewhere, Sizes.MIXED, 20);
        echo(got(client.connect(other.address(), through)), Sizes.MIXED, 20);
    }

    @Test
    void twoGatewaysInARow(Nodes nodes) {
        Node server = echoing(nodes.start(Joined.remote("server").build()));
        Node second = nodes.start(Joined.remote("second").build());
        Node first = nodes.start(Joined.remote("first").build());
        Gateway.serve(first, HERE);
        Gateway.serve(second, HERE);
        NodeSpec spec = Joined.remote("client")
                .properties(Map.of(
                        "weir.peers.server.address",
                        server.address().toString(),
                        "weir.peers.server.gateway",
                        first.address() + "," + second.address()))
                .build();
        Node client = nodes.start(spec);

        Peer peer = got(client.peer("server"));

        Joined.assertThrough(peer, "through " + first.id() + ", " + second.id() + ": tcp - tcp - tcp");
        echo(peer, Sizes.MIXED, 200);
        List<PeerAddress> circle = List.of(first.address(), second.address(), first.address());
        assertThat(failure(client.connect(server.address(), circle, PathPolicy.unchanged())))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("gateway " + first.id() + ": the way goes in a circle");
    }

    /** The channels that carry what goes through never end by themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"client", "gateway", "server"})
    void whoLeavesDoesNotWaitForWhatIsCarriedThrough(String who, Nodes nodes) {
        Joined joined = Joined.over("shm", nodes);
        echoing(joined.server());
        echo(joined.peer(), Sizes.TINY, 10);
        Node leaving = switch (who) {
            case "client" -> joined.client();
            case "gateway" -> joined.middle();
            default -> joined.server();
        };

        leaving.leave(Patience.LIMIT.multipliedBy(10)).block(Patience.LIMIT);
    }

    @Test
    void theLongestMessageThatThereIs(Nodes nodes) {
        Joined joined = Joined.over("shm", nodes);
        byte[] payload = new byte[64 << 20];
        payload[0] = 1;
        payload[payload.length - 1] = 2;
        var unused = joined.server().answer("same", Mono::just);
        Message answer = got(joined.peer().ask("same", Message.of(payload)));
        try {
            assertThat(answer.size()).isEqualTo(payload.length);
            assertThat(answer.payload().getByte(0)).isEqualTo((byte) 1);
            assertThat(answer.payload().getByte(payload.length - 1)).isEqualTo((byte) 2);
        } finally {
            answer.release();
        }
    }

    /**
     * Demand goes from end to end: what a stalled subscriber has not asked for is not even read, and nothing gathers on
     * the way.
     */
    @Test
    void aStalledSubscriberStopsTheSource(Nodes nodes) {
        Joined joined = Joined.over("shm", nodes);
        Source source = Source.of(Sizes.FRAME);
        var unused = joined.server().serve("pour", channel -> channel.send(source.endless()));
        Probe<Message> slow = Probe.of(10, source.parcels().checker());
        got(joined.peer().channel("pour")).receive().subscribe(slow);
        slow.awaitReceived(10);
        Pair pair = new Pair(joined.client(), joined.server(), joined.peer());
        long before;
        do {
            before = source.emitted();
            pair.settle();
        } while (source.emitted() > before);

        assertThat(source.emittedBytes())
                .isLessThan(2 * joined.client().spec().windows().bytes());
        assertThat(joined.middle().stats())
                .allSatisfy(stats -> assertThat(stats.queuedBytes()).isZero());
        slow.request(200);
        slow.awaitReceived(210);
        slow.cancel();
        source.awaitCancelled();
    }

    @Test
    void twoClientsShareAServer(Nodes nodes) {
        Joined joined = Joined.over("tcp", nodes);
        echoing(joined.server());
        Node other = nodes.start(Joined.remote("other").build());
        Peer its = Joined.connect(
                other, joined.server(), got(other.connect(joined.middle().address())));
        assertThat(joined.gateway().joined()).hasSize(2);
        echo(joined.peer(), Sizes.MIXED, 50);
        echo(its, Sizes.MIXED, 50);

        other.close().block(Patience.LIMIT);

        Patience.until("one pair is left", () -> joined.gateway().joined().size() == 1);
        echo(joined.peer(), Sizes.MIXED, 50);
    }

    /** Again and again, since both halves end at once, each by its own loop. */
    @RepeatedTest(20)
    void closingTheGatewayEndsWhatItHasJoined(Nodes nodes) {
        Joined joined = Joined.over("tcp", nodes);
        Probe<Message> never = Probe.releasing(1);
        var unused = joined.server().serve("never", channel -> Mono.never());
        joined.peer().stream("never", Message.of("?")).subscribe(never);

        joined.gateway().close().block(Patience.LIMIT);

        assertThat(never.awaitError())
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining(joined.middle().id().toString());
        assertThat(failure(joined.client().connect(joined.server().address(), joined.toGateway())))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("nobody serves port 'weir.gateway'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateway", "server"})
    void whoeverDiesIsNamed(String dying, Nodes nodes) {
        Node client = nodes.start(Joined.remote("client").build());
        try (Child gateway = Child.start(GatewayProcess.class, "gateway");
                Child server = Child.start(GatewayProcess.class, "server")) {
            Peer through = got(client.connect(gateway.address()));
            Peer peer = got(client.connect(server.address(), through));
            Source source = Source.of(Sizes.MIXED);
            Probe<Message> echoed = Probe.of(Long.MAX_VALUE, source.parcels().checker());
            peer.exchange(ECHO, source.endless()).subscribe(echoed);
            echoed.awaitReceived(100);

            (dying.equals("gateway") ? gateway : server).kill();

            assertThat(echoed.awaitError())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageContaining(peer.id() + " is gone")
                    .hasMessageContaining("through " + through.id())
                    .hasMessageContaining((dying.equals("gateway") ? through : peer).id() + " is gone");
            source.awaitCancelled();
            Patience.until(
                    "nobody is reached through it",
                    () -> client.connected().stream()
                            .noneMatch(other -> other.id().equals(peer.id())));
        }
    }

    @Test
    void aClientDies(Nodes nodes) {
        Node server = nodes.start(Joined.remote("server").build());
        Node middle = nodes.start(Joined.remote("middle").build());
        Gateway gateway = Gateway.serve(middle, HERE);
        CountDownLatch lost = new CountDownLatch(1);
        var unused = server.serve(
                ECHO,
                channel -> channel.send(channel.receive()).doOnError(SessionLost.class, error -> lost.countDown()));
        try (Child client = Child.start(
                GatewayProcess.class,
                "client",
                middle.address().toString(),
                server.address().toString())) {
            Patience.until("it streams", () -> gateway.joined().stream().anyMatch(pair -> pair.toClient() > 100_000));

            client.kill();

            Patience.await("the server knows", lost);
            Patience.until("nothing is left", () -> gateway.joined().isEmpty());
            Patience.until("nobody is left", () -> middle.connected().size() == 1);
            Patience.until("nobody is left", () -> server.connected().size() == 1);
        }
    }

    @Test
    void whoCantBeReachedIsTold(Nodes nodes) {
        Node closed = nodes.start(Joined.remote("closed").gatewayAccept(false).build());
        Node middle = nodes.start(Joined.remote("middle").build());
        Node client = nodes.start(Joined.remote("client").build());
        Gateway gateway = Gateway.serve(middle, HERE);
        Peer through = got(client.connect(middle.address()));
        String name = "gateway " + middle.id() + ": ";

        assertThat(failure(client.connect(closed.address(), through)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining(name)
                .hasMessageContaining("nobody serves port 'weir.tunnel' here");
        assertThat(failure(client.connect(new PeerAddress("127.0.0.1", 1), through)))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining(name)
                .hasMessageContaining("127.0.0.1:1");
        assertThat(failure(client.connect(new PeerAddress("127.0.0.2", 7000), through)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining(name + "it may not connect to tcp://127.0.0.2:7000");
        assertThat(failure(client.connect(middle.address(), through)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining(name + middle.address() + " is the gateway itself");
        assertThat(gateway.joined()).isEmpty();
    }

    @Test
    void aGatewayCarriesSoMany(Nodes nodes) {
        Node server = nodes.start(Joined.remote("server").build());
        Node middle = nodes.start(Joined.remote("middle").build());
        Node another = nodes.start(Joined.remote("another").build());
        Gateway.serve(middle, new GatewaySpec(List.of("127.0.0.1"), 1));
        Node first = nodes.start(Joined.remote("first").build());
        Node second = nodes.start(Joined.remote("second").build());
        Peer held = Joined.connect(first, server, got(first.connect(middle.address())));
        Peer gate = got(second.connect(middle.address()));

        Peer toFirst = got(first.connect(middle.address()));
        assertThat(failure(first.connect(another.address(), toFirst)))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining(
                        "gateway " + middle.id() + ": it carries as many sessions for this peer as it may")
                .hasMessageContaining("1 of 1 in all");
        // Whoever has none gets one, whatever others have.
        assertThat(got(second.connect(server.address(), gate))).isNotNull();
        held.close().block(Patience.LIMIT);
        Patience.until(
                "there is room",
                () -> first.connect(another.address(), toFirst)
                        .onErrorComplete()
                        .blockOptional(Patience.LIMIT)
                        .isPresent());
    }

    /** Else a client could fill it with connections. */
    @Test
    void aGatewayIsConnectedToSoMany(Nodes nodes) {
        Node one = nodes.start(Joined.remote("one").build());
        Node other = nodes.start(Joined.remote("other").build());
        Node middle = nodes.start(Joined.remote("middle").maxPeers(2).build());
        Gateway.serve(middle, HERE);
        Node client = nodes.start(Joined.remote("client").build());
        Peer gate = got(client.connect(middle.address()));
        Peer held = Joined.connect(client, one, gate);

        assertThat(failure(client.connect(other.address(), gate)))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("gateway " + middle.id() + ": there are 2 peers already (weir.max.peers)");
        held.close().block(Patience.LIMIT);
        assertThat(Joined.connect(client, one, gate)).isNotNull();
    }

    /** The ends prove the secret to each other. What only the ends of a leg have is none of it. */
    @Test
    void bothEndsProveWhoTheyAre(Nodes nodes) {
        Secret secret = Secret.of("what-both-ends-share-and-the-gateway");
        Node server = nodes.start(Joined.remote("server")
                .require(Requirement.AUTHENTICATED)
                .secret(secret)
                .build());
        Node middle = nodes.start(Joined.remote("middle").secret(secret).build());
        Gateway.serve(middle, HERE);
        Node client = nodes.start(Joined.remote("client").secret(secret).build());
        Peer peer = Joined.connect(client, server, got(client.connect(middle.address())));
        assertThat(peer.identity().knowsSecret()).isTrue();
        assertThat(peer.identity().name()).isEqualTo("server");
    }

    @Test
    void whoMustProveNothingOnItsHostMustThroughAGateway(Nodes nodes) {
        Node server = nodes.start(Route.any("server").order("tcp").build());
        Node middle = nodes.start(Joined.remote("middle").build());
        Gateway.serve(middle, HERE);
        Node client = nodes.start(Joined.remote("client").build());

        assertThat(failure(client.connect(server.address(), got(client.connect(middle.address())))))
                .isInstanceOf(AuthenticationFailed.class)
                .hasMessageContaining("connections beyond one host have to be authenticated");
    }

    @Test
    void nothingIsEncryptedFromEndToEnd(Nodes nodes) {
        Node server = nodes.start(Joined.remote("server")
                .listen("unix:" + Route.any("server").build().runtimeFolder().resolve("encrypted.sock"))
                .secret(Secret.of("what-both-ends-share-and-the-gateway"))
                .require(Requirement.ENCRYPTED)
                .build());
        Node middle = nodes.start(Joined.remote("middle")
                .secret(Secret.of("what-both-ends-share-and-the-gateway"))
                .build());
        Gateway.serve(middle, GatewaySpec.allowing(server.address().toString()));
        Node client = nodes.start(Joined.remote("client")
                .secret(Secret.of("what-both-ends-share-and-the-gateway"))
                .build());

        assertThat(failure(client.connect(server.address(), got(client.connect(middle.address())))))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("port 'weir.tunnel' is closed: weir.security.require=encrypted");
    }
}
