package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** The smallest ring and pool: every turn wraps, fills and exhausts them. */
@Tag("whole")
class ShmSmallTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm").with("ring-size", "64k").with("pool-size", "64k");
    }
}
