package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.config.PeerSpec;
import io.weir.config.ServiceSettings;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.integration.Blackboard;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Nodes that leave in two steps: what is called there goes elsewhere, what was begun is finished, and nobody's call
 * fails.
 */
class TakingTurnsTest implements OnRoute {

    interface Desk {

        /** May be done once only. */
        Mono<String> who();

        Mono<String> waits();

        Flux<Integer> count(int last);
    }

    @TempDir
    Path folder;

    private final Blackboard board = new Blackboard();
    private final AtomicLong done = new AtomicLong();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Sinks.Empty<Void> go = Sinks.empty();

    private final class Clerk implements Desk {

        private final String name;

        Clerk(String name) {
            this.name = name;
        }

        private String counted() {
            done.incrementAndGet();
            calls.computeIfAbsent(name, any -> new AtomicInteger()).incrementAndGet();
            return name;
        }

        @Override
        public Mono<String> who() {
            // Some answers are there at once, others take their time.
            return done.get() % 3 == 0
                    ? Mono.fromCallable(this::counted)
                    : Mono.delay(Duration.ofMillis(1)).map(tick -> counted());
        }

        @Override
        public Mono<String> waits() {
            counted();
            return go.asMono().thenReturn(name);
        }

        @Override
        public Flux<Integer> count(int last) {
            counted();
            return Flux.range(1, last).delayUntil(i -> i == 3 ? go.asMono() : Mono.empty());
        }
    }

    private record Instance(String name, Node node, Services services) {

        void leaves() {
            services.leave(Patience.LIMIT).block(Patience.LIMIT);
            node.close().block(Patience.LIMIT);
        }
    }

    private Instance instance(Nodes nodes, Route route, String name) {
        Node node = nodes.start(route.spec(name).build());
        Services services = Services.of(node, board.of(node));
        var exported = services.export(ServiceSpec.of("desk"), Desk.class, new Clerk(name), ExportOptions.standard())
                .block(Patience.LIMIT);
        return new Instance(name, node, services);
    }

    private Services client(Nodes nodes, Route route) {
        Node node = nodes.start(route.spec("client")
                .service("desk", ServiceSettings.STANDARD.withPatience(Patience.LIMIT))
                .build());
        return Services.of(node, board.of(node));
    }

    private void awaitCalled(Instance instance) {
        Patience.until(() -> instance.name() + " is called: " + calls, () -> calls.containsKey(instance.name()));
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void noCallFailsWhileOneLeavesAndAnotherComes(Route route, Nodes nodes) {
        Instance leaving = instance(nodes, route, "instance-0");
        Instance other = instance(nodes, route, "instance-1");
        Desk desk = client(nodes, route).client("desk", Desk.class, ProxyOptions.standard());
        AtomicLong answered = new AtomicLong();
        AtomicBoolean enough = new AtomicBoolean();
        Probe<String> callers = Probe.of(Long.MAX_VALUE, answer -> {});
        Flux.range(0, 16)
                .flatMap(caller -> Mono.defer(desk::who)
                        .doOnNext(answer -> answered.incrementAndGet())
                        .repeat(() -> !enough.get()))
                .subscribe(callers);
        for (int round = 2; round < 12; round++) {
            awaitCalled(leaving);
            awaitCalled(other);

            leaving.leaves();

            leaving = other;
            other = instance(nodes, route, "instance-" + round);
        }
        awaitCalled(other);
        enough.set(true);
        callers.awaitComplete();
        // None was lost, and none was done twice.
        assertThat(done).hasValue(answered.get());
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void whatWasBegunIsFinished(Route route, Nodes nodes) {
        Instance one = instance(nodes, route, "one");
        Desk desk = client(nodes, route).client("desk", Desk.class, ProxyOptions.standard());
        Probe<String> call = Probe.of(1, answer -> {});
        desk.waits().subscribe(call);
        Probe<Integer> stream = Probe.of(Long.MAX_VALUE, item -> {});
        desk.count(1000).subscribe(stream);
        stream.awaitReceived(2);
        Patience.until("both have begun", () -> done.get() == 2);
        Probe<Void> left = Probe.end();
        one.services().leave(Patience.LIMIT).subscribe(left);
        Instance two = instance(nodes, route, "two");

        assertThat(desk.who().block(Patience.LIMIT)).isEqualTo("two");
        assertThat(left.ended()).as("it waits for what was begun").isFalse();

        go.tryEmitEmpty();
        call.awaitComplete();
        assertThat(stream.awaitComplete().received()).isEqualTo(1000);
        left.awaitComplete();
        one.node().close().block(Patience.LIMIT);
        assertThat(two.node().connected()).isNotEmpty();
    }

    @Test
    void theLimitEndsIt(Nodes nodes) {
        Instance one = instance(nodes, Route.TCP, "one");
        Desk desk = client(nodes, Route.TCP).client("desk", Desk.class, ProxyOptions.standard());
        Probe<String> call = Probe.of(1, answer -> {});
        desk.waits().subscribe(call);
        Probe<Integer> stream = Probe.of(Long.MAX_VALUE, item -> {});
        desk.count(1000).subscribe(stream);
        stream.awaitReceived(2);
        Patience.until("both have begun", () -> done.get() == 2);

        one.node().leave(Duration.ofMillis(50)).block(Patience.LIMIT);
        assertThat(call.ended()).isFalse();
        one.node().close().block(Patience.LIMIT);

        assertThat(call.awaitError()).isInstanceOf(SessionLost.class);
        assertThat(stream.awaitError()).isInstanceOf(SessionLost.class);
    }

    /** Whoever has no choice is told that nothing was begun, and connects nowhere else. */
    @Test
    void whatIsBegunAtWhoLeavesFailsAndMayBeRepeated(Nodes nodes) {
        Pair pair = nodes.pair();
        Pair.Ends ends = pair.open("stream");
        pair.far().answer("late", request -> {
            request.release();
            return Mono.empty();
        });
        Probe<Void> left = Probe.end();
        pair.far().leave(Patience.LIMIT).subscribe(left);
        Patience.until("it is known", () -> pair.peer().isLeaving());

        assertThatThrownBy(() -> pair.peer().ask("late", Payloads.text("?")).block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class)
                .satisfies(error -> assertThat(WeirException.mayRepeat(error)).isTrue())
                .hasMessageContaining("is going to leave");
        assertThatThrownBy(() -> pair.peer().channel("late").block(Patience.LIMIT))
                .isInstanceOf(PeerUnavailable.class);
        assertThatThrownBy(
                        () -> nodes.start("third").connect(pair.far().address()).block(Patience.LIMIT))
                .isInstanceOf(WeirException.class);
        assertThat(left.ended()).isFalse();

        ends.near().close().block(Patience.LIMIT);
        ends.far().close().block(Patience.LIMIT);
        left.awaitComplete();
    }

    /** The calls of one that is named by its address wait for who comes in its place. */
    @Test
    void callsWaitForWhoIsStartedInItsPlace(Nodes nodes) {
        String address = "unix:" + folder.resolve("desk");
        Node client = nodes.start(
                "client",
                spec -> spec.peer("desk", PeerSpec.of(address))
                        .service("desk", ServiceSettings.STANDARD.withPatience(Patience.LIMIT)));
        Services here = Services.of(client, board.of(client));
        Desk desk = here.client(here.at("desk", "desk", as -> as), Desk.class, ProxyOptions.standard());
        for (int round = 0; round < 3; round++) {
            String name = "instance-" + round;
            Node node = nodes.start(name, spec -> spec.listen(address));
            Services services = Services.of(node, board.of(node));
            var exported = services.export(
                            ServiceSpec.of("desk"), Desk.class, new Clerk(name), ExportOptions.standard())
                    .block(Patience.LIMIT);
            assertThat(Objects.requireNonNull(desk.who().block(Patience.LIMIT))).isEqualTo(name);

            services.leave(Patience.LIMIT).block(Patience.LIMIT);
            node.close().block(Patience.LIMIT);
        }
    }
}
