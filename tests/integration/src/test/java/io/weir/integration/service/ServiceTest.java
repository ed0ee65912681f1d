package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Balance;
import io.weir.config.PathPolicy;
import io.weir.config.ServiceSettings;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.integration.Blackboard;
import io.weir.integration.Child;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.OtherProcess;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.service.ServiceClient;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceInstance;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Services found by name: who is called, what happens to callers when instances come and go, and what is told when
 * nobody is there.
 */
class ServiceTest implements OnRoute {

    private static final Codec<String> TEXT = Codecs.text();
    private static final Duration SOON = Duration.ofMillis(300);

    private final Blackboard board = new Blackboard();

    private Services services(Node node) {
        return Services.of(node, board.of(node));
    }

    /** A node that answers whatever it is asked with its name. */
    private Registration who(Node node) {
        return who(node, ServiceSpec.of("who"));
    }

    private Registration who(Node node, ServiceSpec spec) {
        return get(services(node)
                .answer(spec, TEXT, TEXT, asked -> Mono.just(node.spec().name())));
    }

    private static Node patient(Nodes nodes) {
        return nodes.start("near", spec -> spec.service("who", ServiceSettings.STANDARD.withPatience(Patience.LIMIT)));
    }

    private static <T> T get(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(Patience.LIMIT));
    }

    private static Mono<String> ask(ServiceClient who) {
        return who.ask("?", TEXT, TEXT);
    }

    /** Each of these is connected. */
    private static void awaitAll(ServiceClient who, String... names) {
        Set<String> seen = new HashSet<>();
        Patience.until(() -> "answers of " + List.of(names) + ", not only " + seen, () -> {
            seen.add(get(ask(who)));
            return seen.equals(Set.of(names));
        });
    }

    @Test
    void everyKindOfCall(Nodes nodes) {
        Node far = nodes.start("far");
        Services there = services(far);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        var answers = get(there.answer(ServiceSpec.of("upper"), TEXT, TEXT, text -> {
            told.add(text);
            return Mono.just(text.toUpperCase(java.util.Locale.ROOT));
        }));
        var streams = get(there.stream(
                ServiceSpec.of("count"),
                TEXT,
                TEXT,
                last -> Flux.range(1, Integer.parseInt(last)).map(Object::toString)));
        var channels = get(there.serve(ServiceSpec.of("echo"), channel -> channel.send(channel.receive())));
        assertThat(there.served()).containsExactly(streams.instance(), channels.instance(), answers.instance());
        Services here = services(nodes.start("near"));

        ServiceClient upper = here.service("upper");
        assertThat(get(upper.ask("a", TEXT, TEXT))).isEqualTo("A");
        assertThat(Payloads.read(get(upper.ask(Payloads.text("b"))))).isEqualTo("B");
        upper.tell("c", TEXT).block(Patience.LIMIT);
        upper.tell(Payloads.text("d")).block(Patience.LIMIT);
        Patience.until(() -> "everything was told, not only " + told, () -> told.size() == 4);
        assertThat(told).containsExactly("a", "b", "c", "d");

        assertThat(here.service("count").stream("3", TEXT, TEXT).collectList().block(Patience.LIMIT))
                .containsExactly("1", "2", "3");
        assertThat(here.service("count").stream(Payloads.text("2"))
                        .map(Payloads::read)
                        .collectList()
                        .block(Patience.LIMIT))
                .containsExactly("1", "2");

        ServiceClient echo = here.service("echo");
        assertThat(Flux.just("x", "y")
                        .transform(echo.stage(TEXT, TEXT))
                        .collectList()
                        .block(Patience.LIMIT))
                .containsExactly("x", "y");
        assertThat(echo.exchange(Flux.just(Payloads.text("z")))
                        .map(Payloads::read)
                        .collectList()
                        .block(Patience.LIMIT))
                .containsExactly("z");
        Mono<String> echoed = echo.channel().flatMap(ServiceTest::echo);
        assertThat(get(echoed)).isEqualTo("w");
        assertThat(List.of(
                        answers.instance().port(),
                        streams.instance().service(),
                        channels.instance().node()))
                .containsExactly("upper", "count", far.id());
        assertThat(here.service("upper")).isSameAs(upper);
    }

    private static Mono<String> echo(Channel channel) {
        return channel.receive(TEXT)
                .mergeWith(channel.send(Mono.just("w"), TEXT).then(Mono.empty()))
                .next();
    }

    @Test
    void aMessageThatWasNeverSentIsReleased(Nodes nodes) {
        ServiceClient absent = services(nodes.start("near")).service("who", as -> as.withPatience(SOON));
        assertThatThrownBy(() -> absent.ask(Payloads.text("a")).block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class);
        assertThatThrownBy(() -> absent.tell(Payloads.text("b")).block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class);
        Probe<Message> given = Probe.releasing(1);
        Mono<Message> once = absent.stream(Payloads.text("c")).next();
        once.subscribe(given);
        given.cancel();
        assertThatThrownBy(() -> once.block(Patience.LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("given away");
    }

    @Test
    void twoTakeTurns(Nodes nodes) {
        var one = who(nodes.start("one"));
        var two = who(nodes.start("two"));
        ServiceClient who = services(patient(nodes)).service("who");
        awaitAll(who, "one", "two");
        Map<String, Integer> calls = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            calls.merge(get(ask(who)), 1, Integer::sum);
        }
        assertThat(calls).isEqualTo(Map.of("one", 10, "two", 10));
    }

    @Test
    void whoStallsGetsNoMore(Nodes nodes) {
        Node stalled = nodes.start("stalled");
        var unused = get(services(stalled).answer(ServiceSpec.of("who"), (peer, request) -> {
            request.release();
            return Mono.never();
        }));
        Node near = nodes.start(
                "near", spec -> spec.service("who", ServiceSettings.STANDARD.withBalance(Balance.LEAST_OUTSTANDING)));
        ServiceClient who = services(near).service("who");
        Probe<String> first = Probe.of(Long.MAX_VALUE, answer -> {});
        Flux.range(0, 5).flatMap(i -> ask(who)).subscribe(first);
        Patience.until("it is connected", () -> near.connected().size() == 1);
        var two = who(nodes.start("quick"));
        Patience.until("both are connected", () -> near.connected().size() == 2);
        Patience.until(
                "the quick one is called",
                () -> "quick".equals(ask(who).timeout(SOON).onErrorReturn("").block(Patience.LIMIT)));
        for (int i = 0; i < 100; i++) {
            assertThat(get(ask(who))).isEqualTo("quick");
        }
        assertThat(first.received()).isZero();
        first.cancel();
    }

    private ServiceInstance announced(Child child) {
        ServiceInstance instance = new ServiceInstance(
                "who",
                new PeerId(UUID.randomUUID(), "other", 0),
                List.of(child.address()),
                OtherProcess.ASK,
                false,
                List.of(),
                Map.of());
        board.write(instance);
        return instance;
    }

    @Test
    void oneIsKilledInTheMiddle(Nodes nodes) {
        try (Child one = Child.start(OtherProcess.class, "TCP");
                Child two = Child.start(OtherProcess.class, "TCP")) {
            var first = announced(one);
            var second = announced(two);
            Node near = patient(nodes);
            ServiceClient who = services(near).service("who");
            Patience.until("both are called", () -> {
                get(ask(who));
                return near.connected().size() == 2;
            });
            Probe<String> calls = Probe.of(Long.MAX_VALUE, answer -> {});
            Flux.range(0, 2000)
                    .flatMap(
                            i -> ask(who).retryWhen(Retry.indefinitely().filter(WeirException::mayRepeatIdempotent)),
                            16)
                    .subscribe(calls);
            calls.awaitReceived(100);
            one.kill();
            calls.awaitComplete();
            assertThat(calls.received()).isEqualTo(2000);
            Patience.until("it is seen", () -> near.connected().size() == 1);
            for (int i = 0; i < 20; i++) {
                assertThat(get(ask(who))).as("never the dead one").isEqualTo("?");
            }
        }
    }

    /** Without a single call that fails. */
    @Test
    void oneLeavesInGoodOrder(Nodes nodes) {
        Node one = nodes.start("one");
        Services leaving = services(one);
        var first = get(leaving.answer(ServiceSpec.of("who"), TEXT, TEXT, asked -> Mono.just("one")));
        var second = who(nodes.start("two"));
        ServiceClient who = services(patient(nodes)).service("who");
        awaitAll(who, "one", "two");
        AtomicBoolean enough = new AtomicBoolean();
        Probe<String> calls = Probe.of(Long.MAX_VALUE, answer -> {});
        Flux.range(0, Integer.MAX_VALUE)
                .takeUntil(i -> enough.get())
                .flatMap(i -> ask(who), 16)
                .subscribe(calls);
        calls.awaitReceived(100);
        leaving.close().block(Patience.LIMIT);
        one.close().block(Patience.LIMIT);
        enough.set(true);
        calls.awaitComplete();
        assertThat(get(ask(who))).isEqualTo("two");
    }

    /** It has another port and another incarnation then, and who called it before does nothing. */
    @Test
    void oneIsStartedAnew(Nodes nodes) {
        Node near = patient(nodes);
        ServiceClient who = services(near).service("who");
        for (int start = 0; start < 3; start++) {
            Node far = nodes.start("far");
            Registration registration = who(far);
            assertThat(get(ask(who))).isEqualTo("far");
            assertThat(near.connected()).extracting(Peer::id).containsExactly(far.id());
            far.close().block(Patience.LIMIT);
            registration.withdraw().block(Patience.LIMIT);
            Patience.until("it has left", () -> near.connected().isEmpty());
        }
    }

    /** Nothing is announced anew: the connection alone has ended. */
    @Test
    void aConnectionIsLost(Nodes nodes) {
        Node far = nodes.start("far");
        var registration = who(far);
        Node near = patient(nodes);
        ServiceClient who = services(near).service("who");
        for (int loss = 0; loss < 3; loss++) {
            assertThat(get(ask(who))).isEqualTo("far");
            Peer peer = near.connected().get(0);
            (loss % 2 == 0 ? peer : far.connected().get(0)).close().block(Patience.LIMIT);
            Patience.until("it has ended", () -> !near.connected().contains(peer));
        }
        assertThat(get(ask(who))).isEqualTo("far");
    }

    @Test
    void aDirectoryThatFlaps(Nodes nodes) {
        var first = who(nodes.start("far"));
        ServiceInstance instance = first.instance();
        ServiceClient who = services(patient(nodes)).service("who");
        Probe<String> calls = Probe.of(Long.MAX_VALUE, answer -> {});
        Flux.range(0, 1000).flatMap(i -> ask(who), 4).subscribe(calls);
        for (int i = 0; i < 200; i++) {
            board.wipe(instance);
            board.write(instance);
        }
        calls.awaitComplete();
        assertThat(calls.received()).isEqualTo(1000);
    }

    @Test
    void withdrawnItIsStillFinished(Nodes nodes) {
        Node far = nodes.start("far");
        Services there = services(far);
        Registration echo = get(there.serve(ServiceSpec.of("echo"), channel -> channel.send(channel.receive())));
        Services here = services(nodes.start("near"));
        ServiceClient client = here.service("echo", as -> as.withPatience(SOON));
        var channel =
                get(here.service("echo", as -> as.withPatience(Patience.LIMIT)).channel());
        echo.withdraw().block(Patience.LIMIT);
        assertThat(board.all("echo")).isEmpty();
        assertThat(get(echo(channel))).isEqualTo("w");
        assertThatThrownBy(() -> client.channel().block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageStartingWith("nobody announces service 'echo' (the directory sees 2 nodes)")
                .hasMessageContaining("weir.services.echo.wait");
        assertThatThrownBy(() -> get(far.connected().get(0).channel("echo"))).isInstanceOf(Refused.class);
        echo.withdraw().block(Patience.LIMIT);
        var again = get(there.serve(ServiceSpec.of("echo"), its -> Mono.never()));
        assertThat(board.all("echo")).containsExactly(again.instance());
        there.close().block(Patience.LIMIT);
        assertThat(board.all("echo")).isEmpty();
        assertThatThrownBy(() -> there.service("echo")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsServedTwiceOrUnderNoName(Nodes nodes) {
        Node node = nodes.start("node");
        Services services = services(node);
        var first = get(services.serve(ServiceSpec.of("a"), channel -> Mono.never()));
        assertThatThrownBy(() -> get(services.serve(ServiceSpec.of("a").withPort("b"), channel -> Mono.never())))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("service 'a' is served by this node already");
        assertThatThrownBy(() -> get(services.serve(ServiceSpec.of("b").withPort("a"), channel -> Mono.never())))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("port 'a' is served already");
        var third = get(services.serve(ServiceSpec.of("b").with("zone", "eu"), channel -> Mono.never()));
        assertThat(third.instance().attributes()).isEqualTo(Map.of("zone", "eu"));
        third.attributes(Map.of("zone", "us")).block(Patience.LIMIT);
        assertThat(third.instance().attributes()).isEqualTo(Map.of("zone", "us"));
        assertThat(board.all("b")).containsExactly(third.instance());
        assertThatThrownBy(() -> services.service("no name"))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("'no name' is no name of a service");
        assertThatThrownBy(() -> services(node)).isInstanceOf(Misconfigured.class);
    }

    @Test
    void whatIsAnnouncedAndNotThere(Nodes nodes) {
        Node near = nodes.start("near");
        Node another = nodes.start("another");
        Services services = services(near);
        PeerAddress nobody = new PeerAddress("127.0.0.1", 1);
        ServiceInstance ghost = new ServiceInstance(
                "who",
                new PeerId(new UUID(1, 2), "ghost", 3),
                List.of(nobody, another.address()),
                "who",
                false,
                List.of(),
                Map.of());
        board.write(ghost);
        ServiceClient client = services.service("who", as -> as.withPatience(SOON));
        assertThatThrownBy(() -> get(ask(client)))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageStartingWith(
                        "no instance of service 'who' can be reached: ghost-00000000 at [tcp://127.0.0.1:1,")
                .hasMessageContaining("tcp://127.0.0.1:1 can't be reached")
                .hasMessageContaining(another.address() + " is " + another.id() + " now")
                .hasMessageContaining("waited 300 ms");
    }

    @Test
    void theSecondAddressOfAnInstanceIsAsGoodAsTheFirst(Nodes nodes) {
        Node far = nodes.start("far");
        ServiceInstance real = who(far).instance();
        board.wipe(real);
        PeerAddress nobody = new PeerAddress("127.0.0.1", 1);
        board.write(new ServiceInstance(
                "who", far.id(), List.of(nobody, far.address()), "who", false, List.of(), Map.of()));
        assertThat(get(ask(services(patient(nodes)).service("who")))).isEqualTo("far");
    }

    @Test
    void onlyOverThePathsThatAreOffered(Nodes nodes) {
        Node far = nodes.start(Route.SHM.spec("far").order("shm", "tcp").build());
        var registration = who(far, ServiceSpec.of("who").withPaths("tcp"));
        assertThat(registration.instance().paths()).containsExactly("tcp");
        Node near = nodes.start(Route.SHM.spec("near").order("shm", "tcp").build());
        Peer peer = get(near.connect(far.address()));
        assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo("shm");
        assertThatThrownBy(() -> get(peer.ask("who", "?", TEXT, TEXT)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("is offered over tcp only");

        assertThat(get(ask(services(near).service("who")))).isEqualTo("far");
        assertThat(near.connected()).containsExactly(peer);
        assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo("tcp");
    }

    @Test
    void overNoneOfThePathsThatAreOffered(Nodes nodes) {
        Node far = nodes.start(Route.any("far").order("local", "tcp").build());
        var registration = get(
                services(far).serve(ServiceSpec.of("who").withPaths("local"), channel -> channel.send(Flux.empty())));
        Node near = nodes.start("near");
        assertThatThrownBy(() -> get(services(near).service("who").channel()))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("it is offered over local only, and none of these may be used here (tcp)");
        Peer peer = get(near.connect(far.address(), PathPolicy.unchanged()));
        assertThatThrownBy(() -> get(peer.channel("who")))
                .isInstanceOf(PathRequired.class)
                .hasMessageContaining("is offered over local only");
        assertThatThrownBy(() -> get(services(nodes.start("third"))
                        .serve(ServiceSpec.of("who").withPaths("smh"), channel -> Mono.never())))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("service 'who' can't be offered over smh, which this node does not use: tcp");
    }

    @Test
    void aFewOfMany(Nodes nodes) {
        Node far = nodes.start("far");
        for (int i = 0; i < 12; i++) {
            String port = "port-" + i;
            far.answer(port, TEXT, TEXT, asked -> Mono.just(port));
            board.write(new ServiceInstance(
                    "who", far.id(), List.of(far.address()), port, false, List.of(), Map.of("number", port)));
        }
        ServiceClient who = services(patient(nodes)).service("who");
        Set<String> seen = new TreeSet<>();
        Patience.until(() -> "eight of them, not only " + seen, () -> {
            seen.add(get(ask(who)));
            return seen.size() == 8;
        });
        for (int i = 0; i < 24; i++) {
            seen.add(get(ask(who)));
        }
        assertThat(seen).hasSize(8);
        String gone = seen.iterator().next();
        board.wipe(board.all("who").stream()
                .filter(instance -> instance.port().equals(gone))
                .findFirst()
                .orElseThrow());
        Patience.until(() -> "another one in its place", () -> {
            seen.add(get(ask(who)));
            return seen.size() == 9;
        });
    }

    @Test
    void whoWaitsIsToldWhenAllIsClosed(Nodes nodes) {
        Node near = patient(nodes);
        Services services = services(near);
        Probe<String> ofClient = Probe.of(1, answer -> {});
        Probe<String> ofNode = Probe.of(1, answer -> {});
        ServiceClient own = services.service("who", as -> as.withPatience(Patience.LIMIT));
        ask(own).subscribe(ofClient);
        ask(services.service("who")).subscribe(ofNode);
        own.close();
        assertThat(ofClient.awaitError()).isInstanceOf(Refused.class).hasMessageContaining("its client");
        assertThatThrownBy(() -> get(ask(own))).isInstanceOf(Refused.class);
        assertThat(ofNode.ended()).isFalse();
        near.close().block(Patience.LIMIT);
        assertThat(ofNode.awaitError()).isInstanceOf(Refused.class);
    }

    /** A balancer of a user that does wrong harms one call. */
    @Test
    void aBalancerThatMiscounts(Nodes nodes) {
        var one = who(nodes.start("one"));
        var two = who(nodes.start("two"));
        Services services = services(patient(nodes));
        awaitAll(services.service("who"), "one", "two");
        ServiceClient wrong = services.service("who", as -> as.withBalancer((count, outstanding) -> count));
        Patience.until("both are there", () -> {
            try {
                get(ask(wrong));
                return false;
            } catch (IllegalStateException e) {
                return String.valueOf(e.getMessage()).contains("has chosen number 2 of 2");
            }
        });
    }
}
