package io.weir.tck;

/** Rings and blocks of the usual size. */
class ShmTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("shm");
    }
}
