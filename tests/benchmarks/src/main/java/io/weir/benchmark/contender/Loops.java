package io.weir.benchmark.contender;

import java.time.Duration;
import reactor.netty.resources.LoopResources;

/** What the contenders over Reactor Netty have in common. */
final class Loops {

    static final String HOST = "127.0.0.1";
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Enough to be under way that nobody waits for an answer, and no more memory than this. */
    private static final int WINDOW_BYTES = 16 << 20;

    private static final int MOST_MESSAGES = 1024;
    private static final int FEWEST_MESSAGES = 8;

    private Loops() {}

    /** One event loop, because there is one connection; with epoll. */
    static LoopResources one() {
        return LoopResources.create("bench", 1, 1, true);
    }

    static void close(LoopResources loops) {
        loops.disposeLater(Duration.ZERO, PATIENCE).block(PATIENCE.multipliedBy(2));
    }

    /** How many messages of a stream may be under way. */
    static int window(Cell cell) {
        return Math.max(FEWEST_MESSAGES, Math.min(MOST_MESSAGES, WINDOW_BYTES / cell.size()));
    }
}
