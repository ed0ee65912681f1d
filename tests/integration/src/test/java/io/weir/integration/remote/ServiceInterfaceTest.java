package io.weir.integration.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.config.Balance;
import io.weir.config.ServiceSettings;
import io.weir.core.SessionLost;
import io.weir.integration.Blackboard;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.remote.Caller;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.Idempotent;
import io.weir.service.remote.ProxyOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An interface that several instances serve, as these count its calls. */
class ServiceInterfaceTest implements OnRoute {

    interface Desk {

        Mono<String> who();

        Mono<String> endless();

        @Idempotent
        Mono<String> breaksOnce();

        Mono<String> breaksOnceForAll();
    }

    private final Blackboard board = new Blackboard();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final AtomicInteger breaks = new AtomicInteger(1);

    private final class Clerk implements Desk {

        private final String name;

        Clerk(String name) {
            this.name = name;
            calls.put(name, new AtomicInteger());
        }

        private void count() {
            Objects.requireNonNull(calls.get(name)).incrementAndGet();
        }

        @Override
        public Mono<String> who() {
            count();
            return Mono.just(name);
        }

        @Override
        public Mono<String> endless() {
            count();
            return Mono.never();
        }

        @Override
        public Mono<String> breaksOnce() {
            count();
            if (breaks.getAndDecrement() <= 0) {
                return Mono.just(name);
            }
            return Caller.current().peer().close().then(Mono.never());
        }

        @Override
        public Mono<String> breaksOnceForAll() {
            return breaksOnce();
        }
    }

    private void export(Nodes nodes, String name) {
        Node node = nodes.start(name);
        var exported = Services.of(node, board.of(node))
                .export(ServiceSpec.of("desk"), Desk.class, new Clerk(name), ExportOptions.standard())
                .block(Patience.LIMIT);
    }

    /** A proxy that knows both instances, whose counts are zero. */
    private Desk desk(Nodes nodes, Balance balance) {
        export(nodes, "one");
        export(nodes, "two");
        Node near = nodes.start(
                "near",
                spec -> spec.service(
                        "desk",
                        ServiceSettings.STANDARD.withPatience(Patience.LIMIT).withBalance(balance)));
        Desk desk = Services.of(near, board.of(near)).client("desk", Desk.class, ProxyOptions.standard());
        Patience.until("both are called", () -> {
            var unused = desk.who().block(Patience.LIMIT);
            return counts().stream().allMatch(count -> count > 0);
        });
        calls.values().forEach(count -> count.set(0));
        return desk;
    }

    private List<Integer> counts() {
        return calls.values().stream().map(AtomicInteger::get).toList();
    }

    @Test
    void bothTakeTurns(Nodes nodes) {
        Desk desk = desk(nodes, Balance.ROUND_ROBIN);

        assertThat(Flux.range(0, 40).concatMap(i -> desk.who()).count().block(Patience.LIMIT))
                .isEqualTo(40);

        assertThat(counts()).containsExactly(20, 20);
    }

    @Test
    void whoHasFewestCallsGetsTheNext(Nodes nodes) {
        Desk desk = desk(nodes, Balance.LEAST_OUTSTANDING);
        List<Probe<String>> probes = IntStream.range(0, 40)
                .mapToObj(i -> Probe.of(1, (String answer) -> {}))
                .toList();

        probes.forEach(probe -> desk.endless().subscribe(probe));

        Patience.until(
                () -> "all are counted: " + counts(),
                () -> counts().stream().mapToInt(count -> count).sum() == 40);
        assertThat(counts()).containsExactly(20, 20);
        probes.forEach(Probe::cancel);
    }

    interface Hand {
        String thread();
    }

    @Test
    void whatMayBlockRunsOnTheThreadsThatAreGiven(Nodes nodes) {
        ExecutorService threads = Executors.newSingleThreadExecutor(task -> new Thread(task, "of the caller"));
        try {
            Node far = nodes.start("far");
            var exported = Services.of(far, board.of(far))
                    .export(
                            ServiceSpec.of("hand"),
                            Hand.class,
                            () -> Thread.currentThread().getName(),
                            ExportOptions.standard().executor(threads))
                    .block(Patience.LIMIT);
            Node near = nodes.start("near");
            Hand hand = Services.of(near, board.of(near)).client("hand", Hand.class, ProxyOptions.standard());

            assertThat(hand.thread()).isEqualTo("of the caller");

            exported.withdraw().block(Patience.LIMIT);
            assertThat(threads.isShutdown()).isFalse();
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void whatMayBeRepeatedIsDoneAgain(Nodes nodes) {
        Desk desk = desk(nodes, Balance.ROUND_ROBIN);

        assertThat(desk.breaksOnce().block(Patience.LIMIT)).isIn("one", "two");

        assertThat(counts().stream().mapToInt(count -> count).sum()).isEqualTo(2);
    }

    @Test
    void whatMustNotBeRepeatedIsDoneOnce(Nodes nodes) {
        Desk desk = desk(nodes, Balance.ROUND_ROBIN);

        assertThatThrownBy(() -> desk.breaksOnceForAll().block(Patience.LIMIT)).isInstanceOf(SessionLost.class);

        assertThat(counts()).containsExactlyInAnyOrder(1, 0);
    }
}
