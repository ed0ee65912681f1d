package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** The event mechanism of the JVM instead of epoll. */
@Tag("whole")
class TcpWithoutNativesTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").withoutNatives();
    }
}
