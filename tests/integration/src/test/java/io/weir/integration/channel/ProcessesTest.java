package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.MessageTooLarge;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.integration.Blackboard;
import io.weir.integration.Child;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.OtherProcess;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.integration.Source;
import io.weir.service.Services;
import io.weir.tck.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Two processes, one of which is killed, stopped, continued, or ends by itself. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class ProcessesTest implements OnRoute {

    /** Streams in both directions, a stalled one, a request without an answer. */
    private static final class Traffic {

        final List<Probe<?>> probes = new ArrayList<>();
        final List<Source> sources = new ArrayList<>();
        final List<Probe<Message>> received = new ArrayList<>();

        Traffic(Peer peer) {
            for (int i = 0; i < 4; i++) {
                Sizes sizes = i == 3 ? Sizes.LONG : Sizes.MIXED;
                Source source = new Source(new Parcels(Seed.of("traffic") + i, sizes));
                Probe<Message> echoed =
                        Probe.of(Long.MAX_VALUE, source.parcels().checker());
                peer.exchange(OtherProcess.ECHO, source.endless()).subscribe(echoed);
                Parcels poured = new Parcels(Seed.of("pour") + i, sizes);
                Probe<Message> pouring = Probe.of(Long.MAX_VALUE, poured.checker());
                peer.stream(OtherProcess.POUR, new OtherProcess.Order(poured, Long.MAX_VALUE).message())
                        .subscribe(pouring);
                sources.add(source);
                received.add(echoed);
                received.add(pouring);
            }
            probes.addAll(received);
            Channel stalled = peer.channel(OtherProcess.STALLED).block(Patience.LIMIT);
            Source source = Source.of(Sizes.FRAME);
            Probe<Void> sending = Probe.end();
            stalled.sendDelivered(source.endless()).subscribe(sending);
            Probe<Message> nothing = Probe.releasing(Long.MAX_VALUE);
            stalled.receive().subscribe(nothing);
            Probe<Message> asking = Probe.releasing(1);
            peer.ask(OtherProcess.NEVER, Message.of("?")).subscribe(asking);
            sources.add(source);
            probes.addAll(List.of(sending, nothing, asking));
        }

        void await(long messages) {
            received.forEach(probe -> probe.awaitReceived(messages));
        }

        void awaitLoss(Peer peer) {
            for (Probe<?> probe : probes) {
                assertThat(probe.awaitError())
                        .isInstanceOf(SessionLost.class)
                        .hasMessageContaining(peer.id().toString());
            }
            sources.forEach(Source::awaitCancelled);
        }
    }

    private static Peer connect(Node node, Child child) {
        return node.connect(child.address()).block(Patience.LIMIT);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM", "NIO"})
    void aPeerIsKilled(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").build());
        SplittableRandom random = Seed.random("kill");
        for (int round = 0; round < 3; round++) {
            try (Child child = Child.start(OtherProcess.class, route.name())) {
                Peer peer = connect(near, child);
                assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo(route.path);
                Traffic traffic = new Traffic(peer);
                traffic.await(random.nextInt(3));

                child.kill();

                traffic.awaitLoss(peer);
                Patience.until("nobody is connected", () -> near.connected().isEmpty());
                StepVerifier.create(peer.ask(OtherProcess.ASK, Message.of("?")))
                        .expectError(SessionLost.class)
                        .verify(Patience.LIMIT);
            }
        }
    }

    /** At any moment: also while it is being connected to. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aPeerIsKilledWhileConnecting(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").build());
        SplittableRandom random = Seed.random("kill early");
        for (int round = 0; round < 4; round++) {
            try (Child child = Child.start(OtherProcess.class, route.name())) {
                Probe<Message> asking = Probe.releasing(1);
                near.connect(child.address())
                        .flatMap(peer -> peer.ask(OtherProcess.NEVER, Message.of("?")))
                        .subscribe(asking);
                for (int spin = random.nextInt(3_000_000); spin > 0; spin--) {
                    Thread.onSpinWait();
                }

                child.kill();

                assertThat(asking.awaitError()).isInstanceOf(WeirException.Retryable.class);
                Patience.until("nobody is connected", () -> near.connected().isEmpty());
            }
        }
    }

    /** The JVM's own limit may be lower than what Weir allows. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aMessageThatFindsNoMemoryFailsAndNothingElse(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").build());
        List<String> little = List.of("env", "JAVA_TOOL_OPTIONS=-XX:MaxDirectMemorySize=40m");
        try (Child child = Child.start(little, OtherProcess.class, route.name())) {
            Peer peer = connect(near, child);
            Probe<Message> asking = Probe.releasing(1);
            peer.stream(
                            OtherProcess.POUR,
                            new OtherProcess.Order(new Parcels(Seed.of("pour"), Sizes.MIXED), 1000).message())
                    .subscribe(asking);
            int size = 48 << 20;

            for (int round = 0; round < 2; round++) {
                StepVerifier.create(peer.ask(
                                OtherProcess.ASK, Message.of(Payloads.heap(size).writeZero(size))))
                        .expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(MessageTooLarge.class)
                                .hasMessageContaining("a message of " + size + " bytes needs")
                                .hasMessageContaining("-XX:MaxDirectMemorySize"))
                        .verify(Patience.LIMIT);
                StepVerifier.create(peer.ask(OtherProcess.ASK, Message.of("?")).doOnNext(Message::release))
                        .expectNextCount(1)
                        .expectComplete()
                        .verify(Patience.LIMIT);
            }

            asking.request(Long.MAX_VALUE);
            assertThat(asking.awaitComplete().received()).isEqualTo(1000);
        }
    }

    /** A peer that stands still for a while loses nothing, costs a window, and delays nobody else. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aPeerIsStoppedAndContinued(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").build());
        try (Child child = Child.start(OtherProcess.class, route.name());
                Child neighbour = Child.start(OtherProcess.class, route.name())) {
            Peer peer = connect(near, child);
            Peer other = connect(near, neighbour);
            int count = 3_000;
            List<Probe<Message>> probes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Source source = new Source(new Parcels(Seed.of("stop") + i, Sizes.MIXED));
                Probe<Message> echoed =
                        Probe.of(Long.MAX_VALUE, source.parcels().checker());
                peer.exchange(OtherProcess.ECHO, source.flux(count)).subscribe(echoed);
                probes.add(echoed);
            }
            for (int stop = 1; stop <= 3; stop++) {
                long some = 200L * stop;
                probes.forEach(probe -> probe.awaitReceived(some));

                child.signal("STOP");

                Parcels parcels = new Parcels(Seed.of("neighbour") + stop, Sizes.MIXED);
                StepVerifier.create(other.exchange(OtherProcess.ECHO, parcels.flux(500))
                                .doOnNext(parcels.checker()))
                        .expectNextCount(500)
                        .expectComplete()
                        .verify(Patience.LIMIT);
                assertThat(near.connected()).hasSize(2);
                child.signal("CONT");
            }
            for (Probe<Message> probe : probes) {
                assertThat(probe.awaitComplete().received()).isEqualTo(count);
            }
        }
    }

    /** A peer that stands still for longer than it may is given up, and may be connected to again. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aPeerIsStoppedForTooLong(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near")
                .keepAliveInterval(Duration.ofMillis(200))
                .keepAliveTimeout(Duration.ofSeconds(10))
                // Or the kernel might be the first to lose patience, and the connection would count as cut.
                .properties(Map.of("weir.transport.tcp.user-timeout", "60s"))
                .build());
        try (Child child = Child.start(OtherProcess.class, route.name())) {
            Peer peer = connect(near, child);
            Traffic traffic = new Traffic(peer);
            traffic.await(1);

            child.signal("STOP");

            traffic.awaitLoss(peer);
            StepVerifier.create(peer.ask(OtherProcess.ASK, Message.of("?")))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(SessionLost.class)
                            .hasMessageContaining("has said nothing for 10s"))
                    .verify(Patience.LIMIT);
            child.signal("CONT");
            Peer again = connect(near, child);
            StepVerifier.create(again.ask(OtherProcess.ASK, Message.of("?"))
                            .doOnNext(Message::release)
                            .then())
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
    }

    /** Whoever leaves and closes waits for nobody who has stopped: neither is told by the keep-alive here. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aStoppedPeerHoldsUpNobodyWhoLeaves(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near")
                .keepAliveTimeout(Duration.ofMinutes(30))
                .properties(Map.of("weir.transport.tcp.user-timeout", "5m"))
                .drainTimeout(Duration.ofMillis(200))
                .build());
        Services services = Services.of(near, new Blackboard().of(near));
        try (Child child = Child.start(OtherProcess.class, route.name())) {
            Peer peer = connect(near, child);
            Traffic traffic = new Traffic(peer);
            traffic.await(1);

            child.signal("STOP");

            StepVerifier.create(services.leave(Duration.ofMillis(200)).then(near.close()))
                    .expectComplete()
                    .verify(Patience.LIMIT);
            traffic.awaitLoss(peer);
            child.signal("CONT");
        }
    }

    /** The end of its standard input is the child's end: it says goodbye, and leaves nothing to be cleared up. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM", "NIO"})
    void aPeerEndsByItself(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").build());
        try (Child child = Child.start(OtherProcess.class, route.name())) {
            Peer peer = connect(near, child);
            Parcels parcels = new Parcels(Seed.of("end"), Sizes.MIXED);
            StepVerifier.create(peer.exchange(OtherProcess.ECHO, parcels.flux(1_000))
                            .doOnNext(parcels.checker()))
                    .expectNextCount(1_000)
                    .expectComplete()
                    .verify(Patience.LIMIT);
            Probe<Message> asking = Probe.releasing(1);
            peer.ask(OtherProcess.NEVER, Message.of("?")).subscribe(asking);
            // The first request opens a channel and goes when that is accepted; a few round trips later it is there.
            StepVerifier.create(Flux.range(0, 5)
                            .concatMap(i ->
                                    peer.ask(OtherProcess.ASK, Message.of("!")).doOnNext(Message::release))
                            .then())
                    .expectComplete()
                    .verify(Patience.LIMIT);

            assertThat(child.leave()).as(child.said()).isZero();

            assertThat(asking.awaitError())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageContaining(peer.id().toString())
                    .hasMessageContaining("has left");
        }
    }

    /** Without any setting, two processes of one host meet in shared memory; without native code, over tcp. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePathBetweenTwoProcesses(boolean nativeHere, Nodes nodes) {
        Node near = nodes.start(Route.any("near").nativeAllowed(nativeHere).build());
        try (Child child = Child.start(OtherProcess.class, "ANY")) {
            Peer peer = connect(near, child);

            assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo(nativeHere ? "shm" : "tcp");
            assertThat(peer.path().line()).contains("local: ");
            StepVerifier.create(peer.ask(OtherProcess.ASK, Message.of("?"))
                            .doOnNext(Message::release)
                            .then())
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
    }

    /** Two containers look like one host, and share no run-time folder: shared memory is tried and given up. */
    @Test
    void twoContainersOfOneHost(Nodes nodes, @TempDir Path folder) throws IOException, InterruptedException {
        List<String> elsewhere = List.of(
                "unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs \"$0\" && exec \"$@\"", folder.toString());
        List<String> probe = new ArrayList<>(elsewhere);
        probe.add("true");
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/unshare"))
                        && new ProcessBuilder(probe).start().waitFor() == 0,
                "only root may have a mount namespace of its own");
        List<String> before = new ArrayList<>(elsewhere);
        before.addAll(List.of("env", "-u", Route.FOLDER, "JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=" + folder));
        Node near = nodes.start(Route.any("near").build());
        try (Child child = Child.start(before, OtherProcess.class, "ANY")) {
            Peer peer = connect(near, child);

            assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo("tcp");
            assertThat(peer.path().toString())
                    .containsPattern("shm +failed .*not visible here, as in another container");
            Parcels parcels = new Parcels(Seed.of("containers"), Sizes.MIXED);
            StepVerifier.create(
                            peer.exchange(OtherProcess.ECHO, parcels.flux(200)).doOnNext(parcels.checker()))
                    .expectNextCount(200)
                    .expectComplete()
                    .verify(Patience.LIMIT);
        }
    }

    /** Many processes that come and go at once. */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void severalPeers(Route route, Nodes nodes) {
        Node near = nodes.start(route.spec("near").loops(2).build());
        List<Child> children = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                children.add(Child.start(OtherProcess.class, route.name()));
            }
            Parcels parcels = new Parcels(Seed.of("several"), Sizes.MIXED);
            Long count = Flux.fromIterable(children)
                    .flatMap(child -> near.connect(child.address()))
                    .flatMap(peer -> Flux.range(0, 5)
                            .flatMap(i -> peer.exchange(OtherProcess.ECHO, parcels.flux(300))
                                    .transform(flux -> {
                                        var check = parcels.checker();
                                        return flux.doOnNext(check);
                                    })))
                    .count()
                    .block(Patience.LIMIT);
            assertThat(count).isEqualTo(3 * 5 * 300);
            assertThat(near.connected()).hasSize(3);
        } finally {
            children.forEach(Child::close);
        }
        Patience.until("nobody is connected", () -> near.connected().isEmpty());
    }
}
