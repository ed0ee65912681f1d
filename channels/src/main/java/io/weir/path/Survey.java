package io.weir.path;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * How fast the candidates of one handshake answer. Each is opened and touched by the same steps by which it is used,
 * and then given up; so is TCP, which need not go over the bootstrap connection. Confined to the handshake's loop.
 */
final class Survey {

    private static final Duration NEVER = ChronoUnit.FOREVER.getDuration();

    private final List<String> paths;
    private final Disposable limit;
    private final ArrayDeque<String> left;
    private final Map<String, Duration> roundTrips = new HashMap<>();

    /** Takes over the limit, which is disposed at the end. */
    Survey(Collection<String> paths, Disposable limit) {
        this.paths = List.copyOf(paths);
        this.limit = limit;
        this.left = new ArrayDeque<>(paths);
        // It hardly ever fails, so whatever ends the survey early, one path has been measured.
        if (left.remove(PathSelector.BOOTSTRAP_PATH)) {
            left.addFirst(PathSelector.BOOTSTRAP_PATH);
        }
    }

    /** The path to be measured now; null if it was the last one. */
    @Nullable
    String next() {
        return left.poll();
    }

    void measured(String path, Duration roundTrip) {
        roundTrips.put(path, roundTrip);
    }

    /** The fastest path first; those that were not measured are the last ones, in their order. */
    List<String> ranking() {
        return paths.stream()
                .sorted(Comparator.comparing(path -> roundTrips.getOrDefault(path, NEVER)))
                .toList();
    }

    void end() {
        limit.dispose();
    }
}
