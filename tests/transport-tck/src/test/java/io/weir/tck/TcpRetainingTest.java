package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** A link that keeps what it sends until it has arrived. */
@Tag("whole")
class TcpRetainingTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").retaining();
    }
}
