package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** A queue that is full almost always. */
@Tag("whole")
class LocalShortQueueTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("local").with("queue", "2");
    }
}
