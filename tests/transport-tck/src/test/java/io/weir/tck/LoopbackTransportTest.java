package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** What adapters for networks with registered memory share, with slots and a pool of the usual size. */
@Tag("one-jdk")
class LoopbackTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("loopback");
    }
}
