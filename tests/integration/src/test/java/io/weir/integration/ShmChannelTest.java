package io.weir.integration;

import org.junit.jupiter.api.Test;

class ShmChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.SHM;
    }

    /** A loop that has gone to sleep is woken, and that is counted on both sides. */
    @Test
    void wakeUpsAreCounted(Nodes nodes) {
        Pair pair = nodes.pair();
        long before = pair.far().wakeUps();
        Patience.until(() -> "somebody was woken: " + pair.stats(), () -> {
            pair.settle();
            return pair.stats().wakeUps() > 0 && pair.far().wakeUps() > before;
        });
    }
}
