package io.weir.flow;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Credits and window together, in random interleavings. A failure names its seed: put it into {@link #oneSeed}. */
class JoinedEndsTest {

    private static final int SEEDS = 400;

    @Test
    void theSameSeedsEachTime() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed);
        }
    }

    @Test
    void freshSeeds() {
        long first = System.nanoTime();
        for (long seed = first; seed < first + SEEDS; seed++) {
            run(seed);
        }
    }

    @Test
    void oneSeed() {
        run(Long.getLong("weir.test.seed", 0));
    }

    private static void run(long seed) {
        try {
            new JoinedEnds(new Random(seed)).run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (-Dweir.test.seed): " + e.getMessage(), e);
        }
    }
}
