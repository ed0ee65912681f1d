package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** A Unix-domain socket as the link. */
@Tag("whole")
class TcpUnixSocketTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").overUnixSocket();
    }
}
