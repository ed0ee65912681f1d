package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.core.PeerId;
import io.weir.memory.MemoryStats;
import io.weir.memory.MemoryUse;
import io.weir.peer.Arrival;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WeirMetricsTest {

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final List<PeerStats> stats = new ArrayList<>();
    private final AtomicInteger readings = new AtomicInteger();
    private final WeirMetrics metrics = new WeirMetrics(
            () -> {
                readings.incrementAndGet();
                return counted();
            },
            new WeirMetrics.NodeCounters(
                    () -> 3,
                    () -> 4,
                    () -> new MemoryStats(1000, 300, Map.of(MemoryUse.WINDOWS, 200L)),
                    outcome -> outcome.name().length()),
            clock);

    private List<PeerTotals.Counted> counted() {
        return stats.stream().map(each -> new PeerTotals.Counted(each, null)).toList();
    }

    private static PeerId peer(String name, int id) {
        return new PeerId(new UUID(id, id), name, 1);
    }

    private static PeerStats counted(PeerId peer, String path, long times) {
        return new PeerStats(
                peer,
                path,
                times,
                2 * times,
                3 * times,
                4 * times,
                5 * times,
                6 * times,
                7 * times,
                Duration.ofMillis(100 * times),
                9 * times,
                10 * times,
                15 * times,
                11 * times,
                8 * times,
                12 * times,
                13 * times,
                14 * times,
                times,
                new RoundTrips(
                        times,
                        Duration.ofMillis(times),
                        Duration.ofMillis(2 * times),
                        Duration.ofMillis(3 * times),
                        Duration.ofMillis(4 * times)),
                RoundTrips.NONE);
    }

    private void now(PeerStats... snapshot) {
        stats.clear();
        stats.addAll(List.of(snapshot));
        clock.add(PeerTotals.FRESH);
    }

    private double counter(WeirMeters meter, String... tags) {
        return registry.get(meter.getName()).tags(tags).functionCounter().count();
    }

    private double gauge(WeirMeters meter, String... tags) {
        return registry.get(meter.getName()).tags(tags).gauge().value();
    }

    @Test
    void showsEveryCounterOfAPeer() {
        now(counted(peer("billing", 1), "shm", 10));
        metrics.bindTo(registry);
        String[] tags = {"peer", "billing", "path", "shm"};
        String[] sent = {"peer", "billing", "path", "shm", "direction", "sent"};
        String[] received = {"peer", "billing", "path", "shm", "direction", "received"};
        assertThat(counter(WeirMeters.MESSAGES, sent)).isEqualTo(10);
        assertThat(counter(WeirMeters.MESSAGES, received)).isEqualTo(20);
        assertThat(counter(WeirMeters.BYTES, sent)).isEqualTo(30);
        assertThat(counter(WeirMeters.BYTES, received)).isEqualTo(40);
        assertThat(counter(WeirMeters.FRAMES, sent)).isEqualTo(50);
        assertThat(counter(WeirMeters.FRAMES, received)).isEqualTo(60);
        assertThat(counter(WeirMeters.CREDIT_STALLS, tags)).isEqualTo(70);
        assertThat(counter(WeirMeters.MOVES, tags)).isEqualTo(90);
        assertThat(counter(WeirMeters.CREDIT_STALL_TIME, tags)).isEqualTo(1.0);
        assertThat(counter(WeirMeters.WAKE_UPS, tags)).isEqualTo(100);
        assertThat(counter(WeirMeters.FRAMES_REJECTED, tags)).isEqualTo(150);
        assertThat(gauge(WeirMeters.QUEUE_MESSAGES, tags)).isEqualTo(110);
        assertThat(gauge(WeirMeters.QUEUE_BYTES, tags)).isEqualTo(80);
        assertThat(gauge(WeirMeters.DEMAND, tags)).isEqualTo(120);
        assertThat(gauge(WeirMeters.CREDIT_MESSAGES, tags)).isEqualTo(130);
        assertThat(gauge(WeirMeters.CREDIT_BYTES, tags)).isEqualTo(140);
        assertThat(gauge(WeirMeters.CHANNELS, tags)).isEqualTo(10);
        assertThat(gauge(WeirMeters.ROUND_TRIP, "quantile", "0.5")).isEqualTo(0.010);
        assertThat(gauge(WeirMeters.ROUND_TRIP, "quantile", "0.99")).isEqualTo(0.030);
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(1);
        assertThat(counter(WeirMeters.LOOP_STALLS)).isEqualTo(3);
        assertThat(counter(WeirMeters.LOOP_WAKE_UPS)).isEqualTo(4);
        for (Arrival.Outcome each : Arrival.Outcome.values()) {
            String outcome = each.name().toLowerCase(Locale.ROOT).replace('_', '-');
            assertThat(counter(WeirMeters.ARRIVALS, "outcome", outcome)).isEqualTo(outcome.length());
        }
        assertThat(gauge(WeirMeters.MEMORY_MAX)).isEqualTo(1000);
        assertThat(gauge(WeirMeters.MEMORY_USED)).isEqualTo(300);
        assertThat(gauge(WeirMeters.MEMORY_USES, "use", "windows")).isEqualTo(200);
        assertThat(gauge(WeirMeters.MEMORY_USES, "use", "long-messages")).isZero();
    }

    @Test
    void theCatalogueNamesEveryMeterWithItsKeysAndUnit() {
        now(counted(peer("billing", 1), "shm", 10));
        metrics.bindTo(registry);
        for (Meter meter : registry.getMeters()) {
            WeirMeters documented = Arrays.stream(WeirMeters.values())
                    .filter(known -> known.getName().equals(meter.getId().getName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(meter.getId().getBaseUnit()).isEqualTo(documented.getBaseUnit());
            assertThat(meter.getId().getType()).isEqualTo(documented.getType());
            assertThat(meter.getId().getTags().stream().map(tag -> tag.getKey()))
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(documented.getKeyNames())
                            .map(KeyName::asString)
                            .toList());
        }
        assertThat(registry.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .collect(Collectors.toSet()))
                .isEqualTo(Arrays.stream(WeirMeters.values())
                        .map(WeirMeters::getName)
                        .collect(Collectors.toSet()));
    }

    @Test
    void theManualNamesEveryMeter() throws IOException {
        assertThat(Files.readString(Path.of("../docs/metrics.md")))
                .contains(Arrays.stream(WeirMeters.values())
                        .map(meter -> '`' + meter.getName() + '`')
                        .toList());
    }

    @Test
    void aNewPeerAppearsWhenAnythingIsRead() {
        metrics.bindTo(registry);
        assertThat(gauge(WeirMeters.PEERS)).isZero();
        assertThat(registry.getMeters()).hasSize(3 + 2 + MemoryUse.values().length + Arrival.Outcome.values().length);
        now(counted(peer("billing", 1), "shm", 10));
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(1);
        assertThat(counter(WeirMeters.MESSAGES, "peer", "billing", "direction", "sent"))
                .isEqualTo(10);
    }

    @Test
    void countersOfAPeerThatWentStayAndGoOnWhenItsNameComesBack() {
        now(counted(peer("billing", 1), "shm", 10));
        metrics.bindTo(registry);
        now();
        assertThat(gauge(WeirMeters.PEERS)).isZero();
        assertThat(counter(WeirMeters.MESSAGES, "direction", "sent")).isEqualTo(10);
        assertThat(gauge(WeirMeters.CHANNELS)).isZero();
        assertThat(gauge(WeirMeters.QUEUE_BYTES)).isZero();
        assertThat(gauge(WeirMeters.ROUND_TRIP, "quantile", "0.5")).isNaN();
        now(counted(peer("billing", 2), "shm", 5));
        assertThat(counter(WeirMeters.MESSAGES, "direction", "sent")).isEqualTo(15);
        assertThat(gauge(WeirMeters.CHANNELS)).isEqualTo(5);
    }

    @Test
    void countersDoNotFallWhenASessionBeginsAnew() {
        now(counted(peer("billing", 1), "shm", 10));
        metrics.bindTo(registry);
        now(counted(peer("billing", 1), "shm", 4));
        assertThat(counter(WeirMeters.MESSAGES, "direction", "sent")).isEqualTo(14);
        assertThat(counter(WeirMeters.CREDIT_STALLS)).isEqualTo(98);
    }

    @Test
    void whatFollowsAMoveCountsForTheNewPath() {
        now(counted(peer("billing", 1), "tcp", 10));
        metrics.bindTo(registry);
        now(counted(peer("billing", 1), "shm", 25));
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(1);
        assertThat(counter(WeirMeters.MESSAGES, "path", "tcp", "direction", "sent"))
                .isEqualTo(10);
        assertThat(counter(WeirMeters.MESSAGES, "path", "shm", "direction", "sent"))
                .isEqualTo(15);
        assertThat(gauge(WeirMeters.CHANNELS, "path", "tcp")).isZero();
        assertThat(gauge(WeirMeters.CHANNELS, "path", "shm")).isEqualTo(25);
    }

    @Test
    void peersOfOneNameAreAddedUp() {
        now(counted(peer("worker", 1), "tcp", 10), counted(peer("worker", 2), "tcp", 3));
        metrics.bindTo(registry);
        assertThat(counter(WeirMeters.MESSAGES, "peer", "worker", "direction", "sent"))
                .isEqualTo(13);
        assertThat(gauge(WeirMeters.CHANNELS, "peer", "worker")).isEqualTo(13);
        assertThat(gauge(WeirMeters.ROUND_TRIP, "peer", "worker", "quantile", "0.5"))
                .as("the slowest one's")
                .isEqualTo(0.010);
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(2);
    }

    @Test
    void oneReadingOfAllMetersTakesOneSnapshot() {
        now(counted(peer("billing", 1), "shm", 10));
        metrics.bindTo(registry);
        int before = readings.get();
        clock.add(PeerTotals.FRESH);
        registry.getMeters().forEach(meter -> meter.measure().forEach(measurement -> measurement.getValue()));
        assertThat(readings).hasValue(before + 1);
        clock.add(PeerTotals.FRESH.toNanos() - 1, TimeUnit.NANOSECONDS);
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(1);
        assertThat(readings).hasValue(before + 1);
    }

    @Test
    void peersCantFillTheRegistryWithTheirNames() {
        now(IntStream.range(0, 10 * PeerNames.MOST)
                .mapToObj(id -> counted(peer("name " + id, id), "tcp", 1))
                .toArray(PeerStats[]::new));
        metrics.bindTo(registry);
        assertThat(Search.in(registry).name(WeirMeters.CHANNELS.getName()).meters())
                .hasSize(PeerNames.MOST + 1);
        assertThat(counter(WeirMeters.MESSAGES, "peer", PeerNames.OTHERS, "direction", "sent"))
                .isEqualTo(9 * PeerNames.MOST);
    }

    @Test
    void severalRegistriesShowTheSame() {
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(registry);
        metrics.bindTo(second);
        now(counted(peer("billing", 1), "shm", 10));
        assertThat(gauge(WeirMeters.PEERS)).isEqualTo(1);
        assertThat(counter(WeirMeters.MESSAGES, "direction", "sent")).isEqualTo(10);
        assertThat(second.get(WeirMeters.MESSAGES.getName())
                        .tags("direction", "sent")
                        .functionCounter()
                        .count())
                .isEqualTo(10);
    }

    @Test
    void theRegistryAloneKeepsTheBinderAlive() {
        now(counted(peer("billing", 1), "shm", 10));
        WeakReference<WeirMetrics> dropped = new WeakReference<>(bindAnother());
        System.gc();
        assertThat(dropped.get()).isNotNull();
        assertThat(counter(WeirMeters.MESSAGES, "direction", "sent")).isEqualTo(10);
    }

    private WeirMetrics bindAnother() {
        WeirMetrics other = new WeirMetrics(this::counted, null, clock);
        other.bindTo(registry);
        return other;
    }
}
