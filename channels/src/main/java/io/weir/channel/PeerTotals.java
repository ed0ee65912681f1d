package io.weir.channel;

import io.weir.core.PeerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Adds up snapshots per name of a peer and path, so that the sums never fall, whoever comes, goes or changes its path. */
final class PeerTotals {

    /**
     * A reading of all meters takes less, and so works on one snapshot; nobody looks at metrics more often.
     */
    static final Duration FRESH = Duration.ofMillis(100);

    /** Peers choose their names: what comes beyond this many counts for {@link #OTHERS}, else they could fill a registry. */
    static final int MAX_NAMES = 256;

    static final String OTHERS = "(others)";

    /** A name of a peer, and of a path. */
    record Key(String peer, String path) {}

    /** What is known of one key. */
    record Sums(
            long messagesSent,
            long messagesReceived,
            long bytesSent,
            long bytesReceived,
            long framesSent,
            long framesReceived,
            long creditStalls,
            long moves,
            long queuedBytes,
            long channels) {

        private static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

        private static Sums of(PeerStats now) {
            return new Sums(
                    now.messagesSent(),
                    now.messagesReceived(),
                    now.bytesSent(),
                    now.bytesReceived(),
                    now.framesSent(),
                    now.framesReceived(),
                    now.creditStalls(),
                    now.moves(),
                    now.queuedBytes(),
                    now.channels());
        }

        private Sums and(Sums more) {
            return new Sums(
                    messagesSent + more.messagesSent,
                    messagesReceived + more.messagesReceived,
                    bytesSent + more.bytesSent,
                    bytesReceived + more.bytesReceived,
                    framesSent + more.framesSent,
                    framesReceived + more.framesReceived,
                    creditStalls + more.creditStalls,
                    moves + more.moves,
                    queuedBytes + more.queuedBytes,
                    channels + more.channels);
        }

        /** What was counted since; what is only so now stays as it is. All of it, if a counter fell: then it began anew. */
        private Sums since(Sums before) {
            boolean anew = messagesSent < before.messagesSent
                    || messagesReceived < before.messagesReceived
                    || framesSent < before.framesSent
                    || framesReceived < before.framesReceived;
            return anew
                    ? this
                    : new Sums(
                            messagesSent - before.messagesSent,
                            messagesReceived - before.messagesReceived,
                            bytesSent - before.bytesSent,
                            bytesReceived - before.bytesReceived,
                            framesSent - before.framesSent,
                            framesReceived - before.framesReceived,
                            creditStalls - before.creditStalls,
                            moves - before.moves,
                            queuedBytes,
                            channels);
        }

        private Sums withoutWhatIsNow() {
            return new Sums(
                    messagesSent,
                    messagesReceived,
                    bytesSent,
                    bytesReceived,
                    framesSent,
                    framesReceived,
                    creditStalls,
                    moves,
                    0,
                    0);
        }
    }

    private final Map<Key, Sums> sums = new LinkedHashMap<>();
    private final Map<PeerId, Sums> before = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    private @Nullable Long readAt;

    /** Takes a new snapshot unless the last one is {@link #FRESH}. Returns the keys that it brought. */
    synchronized List<Key> refresh(long nanos, Supplier<List<PeerStats>> source) {
        if (readAt != null && nanos - readAt < FRESH.toNanos()) {
            return List.of();
        }
        List<PeerStats> snapshot = source.get();
        readAt = nanos;
        sums.replaceAll((key, sum) -> sum.withoutWhatIsNow());
        List<Key> fresh = new ArrayList<>();
        Map<PeerId, Sums> now = new HashMap<>();
        for (PeerStats stats : snapshot) {
            Key key = new Key(label(stats.peer().name()), stats.path());
            Sums current = Sums.of(stats);
            now.put(stats.peer(), current);
            Sums more = current.since(before.getOrDefault(stats.peer(), Sums.NONE));
            Sums known = sums.get(key);
            sums.put(key, known == null ? more : known.and(more));
            if (known == null) {
                fresh.add(key);
            }
        }
        before.clear();
        before.putAll(now);
        return fresh;
    }

    synchronized List<Key> keys() {
        return List.copyOf(sums.keySet());
    }

    synchronized long of(Key key, ToLongFunction<Sums> value) {
        return value.applyAsLong(sums.getOrDefault(key, Sums.NONE));
    }

    /** Peers in the last snapshot. */
    synchronized long peers() {
        return before.size();
    }

    private String label(String name) {
        if (!names.contains(name) && names.size() >= MAX_NAMES) {
            return OTHERS;
        }
        names.add(name);
        return DecisionText.harmless(name);
    }
}
