package io.weir.tck;

/** What adapters for networks with registered memory share, with slots and a pool of the usual size. */
class LoopbackTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("loopback");
    }
}
