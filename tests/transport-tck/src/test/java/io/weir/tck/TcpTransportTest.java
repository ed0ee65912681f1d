package io.weir.tck;

/** The bootstrap connection itself as the link. */
class TcpTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp");
    }
}
