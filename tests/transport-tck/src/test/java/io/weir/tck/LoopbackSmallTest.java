package io.weir.tck;

import org.junit.jupiter.api.Tag;

/**
 * As few and as short slots as possible, and no registered memory for long bodies but what reading them in pieces
 * needs.
 */
@Tag("whole")
class LoopbackSmallTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("loopback")
                .with("slots", "8")
                .with("slot-size", "36k")
                .with("pool-size", "0");
    }
}
