package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** Blocks that are copied on arrival. */
@Tag("whole")
class ShmCopyInTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm").with("copy-in", "on");
    }
}
