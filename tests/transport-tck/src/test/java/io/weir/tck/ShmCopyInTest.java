package io.weir.tck;

/** Blocks that are copied on arrival. */
class ShmCopyInTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm").with("copy-in", "on");
    }
}
