package io.weir.tck;

class LocalTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("local");
    }
}
