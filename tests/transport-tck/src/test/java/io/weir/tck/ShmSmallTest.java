package io.weir.tck;

/** The smallest ring and pool: every turn wraps, fills and exhausts them. */
class ShmSmallTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm").with("ring-size", "64k").with("pool-size", "64k");
    }
}
