package io.weir.simulator;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** How long users let others wait: some so long that a session meets more than one trouble meanwhile. */
final class Pauses {

    private static final List<Duration> ALL =
            List.of(Duration.ofNanos(50_000), Duration.ofMillis(1), Duration.ofMillis(30), Duration.ofSeconds(3));

    private Pauses() {}

    static Duration of(SplittableRandom chance) {
        return ALL.get(chance.nextInt(ALL.size()));
    }
}
