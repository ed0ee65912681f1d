package io.weir.channel;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.core.SettingText;
import io.weir.memory.MemoryStats;
import io.weir.memory.MemoryUse;
import io.weir.peer.Arrival;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows the counters of a node in Micrometer: the meters of {@link WeirMeters}. Nothing is counted twice for it and no
 * thread runs for it: reading a meter reads the counters.
 *
 * <p>The meters of a new peer are registered when any meter is read for the first time after it came, so they appear
 * one reading later. They stay when it goes, since counters must not fall, and go on when a peer of the same name comes
 * back. What is counted between two readings counts for the path that is in use at the second.
 *
 * <p>Thread-safe.
 */
public final class WeirMetrics implements MeterBinder {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Supplier<List<PeerTotals.Counted>> source;
    private final @Nullable NodeCounters node;
    private final Clock clock;
    private final PeerTotals totals = new PeerTotals();
    private final List<Bound> registries = new CopyOnWriteArrayList<>();

    /** A registry, and what it has of us: it warns of gauges that are registered twice. */
    private record Bound(MeterRegistry registry, Set<PeerTotals.Key> keys) {}

    /** Shows all that a node counts. Holds the node as long as the registry holds the meters. */
    public WeirMetrics(Node node) {
        this(node::counted, new NodeCounters(node::stalls, node::wakeUps, node::memory, node::arrivals), Clock.SYSTEM);
    }

    /**
     * Shows what is counted for peers.
     *
     * @param source the counters of every connected peer; called by any thread, must not block and must not fail
     */
    public WeirMetrics(Supplier<List<PeerStats>> source) {
        this(
                () -> source.get().stream()
                        .map(each -> new PeerTotals.Counted(each, null))
                        .toList(),
                null,
                Clock.SYSTEM);
    }

    WeirMetrics(Supplier<List<PeerTotals.Counted>> source, @Nullable NodeCounters node, Clock clock) {
        this.source = source;
        this.node = node;
        this.clock = clock;
    }

    /** What is counted for all peers of a node together. */
    record NodeCounters(
            LongSupplier stalls,
            LongSupplier wakeUps,
            Supplier<MemoryStats> memory,
            ToLongFunction<Arrival.Outcome> arrivals) {}

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder(WeirMeters.PEERS.getName(), () -> read(PeerTotals::peers))
                .description("Connected peers now")
                .baseUnit(WeirMeters.PEERS.getBaseUnit())
                .register(registry);
        if (node != null) {
            Tags none = Tags.empty();
            counter(registry, WeirMeters.LOOP_STALLS, "Stalls of 10 ms and more", none, node.stalls::getAsLong);
            counter(registry, WeirMeters.LOOP_WAKE_UPS, "Loops that were woken", none, node.wakeUps::getAsLong);
            Supplier<MemoryStats> memory = node.memory;
            gauge(
                    registry,
                    WeirMeters.MEMORY_MAX,
                    "Memory for peers",
                    none,
                    () -> memory.get().total());
            gauge(
                    registry,
                    WeirMeters.MEMORY_USED,
                    "Memory taken of it",
                    none,
                    () -> memory.get().used());
            ToLongFunction<Arrival.Outcome> arrivals = node.arrivals;
            for (Arrival.Outcome outcome : Arrival.Outcome.values()) {
                Tags tags = Tags.of(WeirMeters.Key.OUTCOME.asString(), SettingText.word(outcome));
                counter(
                        registry,
                        WeirMeters.ARRIVALS,
                        "Connections that others have made",
                        tags,
                        () -> arrivals.applyAsLong(outcome));
            }
            for (MemoryUse use : MemoryUse.values()) {
                Tags tags = Tags.of(WeirMeters.Key.USE.asString(), SettingText.word(use));
                gauge(
                        registry,
                        WeirMeters.MEMORY_USES,
                        "Memory taken, by its use",
                        tags,
                        () -> memory.get().uses().getOrDefault(use, 0L));
            }
        }
        Bound bound = new Bound(registry, ConcurrentHashMap.newKeySet());
        registries.add(bound);
        refresh();
        totals.keys().forEach(key -> register(key, bound));
    }

    private void refresh() {
        List<PeerTotals.Key> fresh = totals.refresh(clock.monotonicTime(), source);
        registries.forEach(bound -> fresh.forEach(key -> register(key, bound)));
    }

    private void register(PeerTotals.Key key, Bound bound) {
        if (bound.keys().add(key)) {
            register(key, bound.registry());
        }
    }

    private void register(PeerTotals.Key key, MeterRegistry registry) {
        Tags tags = Tags.of(WeirMeters.Key.PEER.asString(), key.peer(), WeirMeters.Key.PATH.asString(), key.path());
        Tags sent = tags.and(WeirMeters.Key.DIRECTION.asString(), "sent");
        Tags received = tags.and(WeirMeters.Key.DIRECTION.asString(), "received");
        counter(registry, WeirMeters.MESSAGES, "Messages", sent, key, PeerFigure.MESSAGES_SENT);
        counter(registry, WeirMeters.MESSAGES, "Messages", received, key, PeerFigure.MESSAGES_RECEIVED);
        counter(registry, WeirMeters.BYTES, "Payload bytes", sent, key, PeerFigure.BYTES_SENT);
        counter(registry, WeirMeters.BYTES, "Payload bytes", received, key, PeerFigure.BYTES_RECEIVED);
        counter(registry, WeirMeters.FRAMES, "Frames of every kind", sent, key, PeerFigure.FRAMES_SENT);
        counter(registry, WeirMeters.FRAMES, "Frames of every kind", received, key, PeerFigure.FRAMES_RECEIVED);
        counter(
                registry,
                WeirMeters.CREDIT_STALLS,
                "Waits of a sender for credit",
                tags,
                key,
                PeerFigure.CREDIT_STALLS);
        counter(
                registry,
                WeirMeters.CREDIT_STALL_TIME,
                "How long senders have waited for credit",
                tags,
                () -> read(totals -> totals.of(key, PeerFigure.CREDIT_STALL_NANOS)) / NANOS_PER_SECOND);
        counter(registry, WeirMeters.MOVES, "Changes of the path", tags, key, PeerFigure.MOVES);
        counter(registry, WeirMeters.WAKE_UPS, "Signals that have woken the peer", tags, key, PeerFigure.WAKE_UPS);
        counter(registry, WeirMeters.FRAMES_REJECTED, "Frames not of the peer", tags, key, PeerFigure.REJECTED_FRAMES);
        gauge(registry, WeirMeters.QUEUE_MESSAGES, "Messages that wait now", tags, key, PeerFigure.QUEUED_MESSAGES);
        gauge(registry, WeirMeters.QUEUE_BYTES, "Bytes that wait now", tags, key, PeerFigure.QUEUED_BYTES);
        gauge(registry, WeirMeters.DEMAND, "Messages asked of the peer", tags, key, PeerFigure.DEMAND);
        gauge(registry, WeirMeters.CREDIT_MESSAGES, "Messages that may be sent", tags, key, PeerFigure.CREDIT_ITEMS);
        gauge(registry, WeirMeters.CREDIT_BYTES, "Bytes that may be sent", tags, key, PeerFigure.CREDIT_BYTES);
        gauge(registry, WeirMeters.CHANNELS, "Open channels now", tags, key, PeerFigure.CHANNELS);
        roundTrip(registry, tags, "0.5", key, RoundTrips::p50);
        roundTrip(registry, tags, "0.99", key, RoundTrips::p99);
    }

    private void roundTrip(
            MeterRegistry registry, Tags tags, String quantile, PeerTotals.Key key, Function<RoundTrips, Duration> of) {
        gauge(
                registry,
                WeirMeters.ROUND_TRIP,
                "Time until the peer has answered",
                tags.and(WeirMeters.Key.QUANTILE.asString(), quantile),
                () -> {
                    refresh();
                    RoundTrips read = totals.roundTrips(key);
                    return read.count() == 0 ? Double.NaN : of.apply(read).toNanos() / NANOS_PER_SECOND;
                });
    }

    private void counter(
            MeterRegistry registry, WeirMeters meter, String text, Tags tags, PeerTotals.Key key, PeerFigure figure) {
        counter(registry, meter, text, tags, () -> read(totals -> totals.of(key, figure)));
    }

    // The functions hold this binder, and so its totals: Micrometer itself holds what it reads from weakly.

    private void counter(MeterRegistry registry, WeirMeters meter, String text, Tags tags, DoubleSupplier value) {
        FunctionCounter.builder(meter.getName(), this, any -> value.getAsDouble())
                .tags(tags)
                .description(text)
                .baseUnit(meter.getBaseUnit())
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, WeirMeters meter, String text, Tags tags, PeerTotals.Key key, PeerFigure figure) {
        gauge(registry, meter, text, tags, () -> read(totals -> totals.of(key, figure)));
    }

    private void gauge(MeterRegistry registry, WeirMeters meter, String text, Tags tags, DoubleSupplier value) {
        Gauge.builder(meter.getName(), value::getAsDouble)
                .tags(tags)
                .description(text)
                .baseUnit(meter.getBaseUnit())
                .register(registry);
    }

    private long read(ToLongFunction<PeerTotals> value) {
        refresh();
        return value.applyAsLong(totals);
    }
}
