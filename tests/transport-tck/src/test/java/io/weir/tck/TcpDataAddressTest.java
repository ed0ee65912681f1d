package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** A second connection to an address for data. */
@Tag("whole")
class TcpDataAddressTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").with("data-address", "tcp://127.0.0.1:0");
    }
}
