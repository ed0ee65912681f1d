package io.weir.tck;

class TcpTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp");
    }
}
