package io.weir.tck;

/** A link that keeps what it sends until it has arrived. */
class TcpRetainingTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").retaining();
    }
}
