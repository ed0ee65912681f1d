package io.weir.channel;

import io.weir.core.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds up snapshots per name of a peer and path, so that the sums never fall, whichever peer comes, goes or changes
 * its path.
 */
final class PeerTotals {

    /**
     * A reading of all meters takes less, and so works on one snapshot; nobody looks at metrics more often.
     */
    static final Duration FRESH = Duration.ofMillis(100);

    /**
     * What is counted for a peer.
     *
     * @param identity who it is, as {@link PeerNames} wants it
     */
    record Counted(PeerStats stats, @Nullable Object identity) {}

    /** A name of a peer, and of a path. */
    record Key(String peer, String path) {}

    private final Map<Key, Map<PeerFigure, Long>> sums = new LinkedHashMap<>();
    /** Of the last snapshot. Percentiles can't be added up: of several peers with one key the slowest counts. */
    private final Map<Key, RoundTrips> roundTrips = new HashMap<>();

    private final Map<PeerId, Map<PeerFigure, Long>> before = new HashMap<>();
    private final PeerNames names = new PeerNames();
    private @Nullable Long readAt;

    /** Takes a new snapshot unless the last one is {@link #FRESH}. Returns the keys that it brought. */
    synchronized List<Key> refresh(long nanos, Supplier<List<Counted>> source) {
        if (readAt != null && nanos - readAt < FRESH.toNanos()) {
            return List.of();
        }
        List<Counted> snapshot = source.get();
        readAt = nanos;
        sums.values().forEach(PeerFigure::forgetWhatIsNow);
        roundTrips.clear();
        List<Key> fresh = new ArrayList<>();
        Map<PeerId, Map<PeerFigure, Long>> now = new HashMap<>();
        for (Counted each : snapshot) {
            PeerStats stats = each.stats();
            Key key = new Key(names.label(stats.peer().name(), each.identity()), stats.path());
            Map<PeerFigure, Long> current = PeerFigure.of(stats);
            now.put(stats.peer(), current);
            Map<PeerFigure, Long> past = before.get(stats.peer());
            Map<PeerFigure, Long> known = sums.get(key);
            if (known == null) {
                known = new EnumMap<>(PeerFigure.class);
                sums.put(key, known);
                fresh.add(key);
            }
            roundTrips.merge(
                    key, stats.roundTrips(), (one, other) -> one.p99().compareTo(other.p99()) < 0 ? other : one);
            PeerFigure.add(known, past == null ? current : PeerFigure.since(past, current));
        }
        before.clear();
        before.putAll(now);
        return fresh;
    }

    synchronized List<Key> keys() {
        return List.copyOf(sums.keySet());
    }

    synchronized long of(Key key, PeerFigure figure) {
        Map<PeerFigure, Long> known = sums.get(key);
        return known == null ? 0 : known.getOrDefault(figure, 0L);
    }

    synchronized RoundTrips roundTrips(Key key) {
        return roundTrips.getOrDefault(key, RoundTrips.NONE);
    }

    /** Peers in the last snapshot. */
    synchronized long peers() {
        return before.size();
    }
}
