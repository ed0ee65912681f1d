package io.weir.channel;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.channel.PeerTotals.Sums;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Shows the counters of a node in Micrometer: the meters of {@link WeirMeters}. Nothing is counted twice for it and no thread
 * runs for it: reading a meter reads the counters.
 *
 * <p>The meters of a new peer are registered when any meter is read for the first time after it came, so they appear one reading
 * later. They stay when it goes, since counters must not fall, and go on when a peer of the same name comes back. What is counted
 * between two readings counts for the path that is in use at the second.
 *
 * <p>Thread-safe.
 */
public final class WeirMetrics implements MeterBinder {

    private final Supplier<List<PeerStats>> source;
    private final Clock clock;
    private final PeerTotals totals = new PeerTotals();
    private final List<Bound> registries = new CopyOnWriteArrayList<>();

    /** A registry, and what it has of us: it warns of gauges that are registered twice. */
    private record Bound(MeterRegistry registry, Set<PeerTotals.Key> keys) {}

    /**
     * Reads from here.
     *
     * @param source the counters of every connected peer; called by any thread, must not block and must not fail
     */
    public WeirMetrics(Supplier<List<PeerStats>> source) {
        this(source, Clock.SYSTEM);
    }

    WeirMetrics(Supplier<List<PeerStats>> source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder(WeirMeters.PEERS.getName(), () -> read(PeerTotals::peers))
                .description("Connected peers now")
                .baseUnit(WeirMeters.PEERS.getBaseUnit())
                .register(registry);
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
        counter(registry, WeirMeters.MESSAGES, "Messages", sent, key, Sums::messagesSent);
        counter(registry, WeirMeters.MESSAGES, "Messages", received, key, Sums::messagesReceived);
        counter(registry, WeirMeters.BYTES, "Payload bytes", sent, key, Sums::bytesSent);
        counter(registry, WeirMeters.BYTES, "Payload bytes", received, key, Sums::bytesReceived);
        counter(registry, WeirMeters.FRAMES, "Frames of every kind", sent, key, Sums::framesSent);
        counter(registry, WeirMeters.FRAMES, "Frames of every kind", received, key, Sums::framesReceived);
        counter(registry, WeirMeters.CREDIT_STALLS, "Waits of a sender for credit", tags, key, Sums::creditStalls);
        counter(registry, WeirMeters.MOVES, "Changes of the path", tags, key, Sums::moves);
        gauge(registry, WeirMeters.QUEUE_BYTES, "Bytes that wait now", tags, key, Sums::queuedBytes);
        gauge(registry, WeirMeters.CHANNELS, "Open channels now", tags, key, Sums::channels);
    }

    // The functions hold this binder, and so its totals: Micrometer itself holds what it reads from weakly.

    private void counter(
            MeterRegistry registry,
            WeirMeters meter,
            String text,
            Tags tags,
            PeerTotals.Key key,
            ToLongFunction<Sums> value) {
        FunctionCounter.builder(meter.getName(), this, any -> read(totals -> totals.of(key, value)))
                .tags(tags)
                .description(text)
                .baseUnit(meter.getBaseUnit())
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry,
            WeirMeters meter,
            String text,
            Tags tags,
            PeerTotals.Key key,
            ToLongFunction<Sums> value) {
        Gauge.builder(meter.getName(), () -> read(totals -> totals.of(key, value)))
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
