package io.weir.tck;

/** A Unix-domain socket as the link. */
class TcpUnixSocketTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").overUnixSocket();
    }
}
