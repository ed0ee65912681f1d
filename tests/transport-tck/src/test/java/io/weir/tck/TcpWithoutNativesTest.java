package io.weir.tck;

/** The event mechanism of the JVM instead of epoll. */
class TcpWithoutNativesTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").withoutNatives();
    }
}
