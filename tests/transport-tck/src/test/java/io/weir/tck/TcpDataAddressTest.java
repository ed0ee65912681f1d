package io.weir.tck;

/** A second connection to an address for data. */
class TcpDataAddressTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").with("data-address", "tcp://127.0.0.1:0");
    }
}
