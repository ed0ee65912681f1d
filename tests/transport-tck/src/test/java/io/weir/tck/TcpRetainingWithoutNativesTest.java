package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** As {@link TcpRetainingTest} without epoll, over a second connection, most of whose frames are cut. */
@Tag("whole")
class TcpRetainingWithoutNativesTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp")
                .with("data-address", "tcp://127.0.0.1:0")
                .with("send-buffer", "4k")
                .with("receive-buffer", "4k")
                .withoutNatives()
                .retaining();
    }
}
