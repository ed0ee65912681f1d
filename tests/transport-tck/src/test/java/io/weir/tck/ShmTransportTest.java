package io.weir.tck;

class ShmTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm");
    }
}
