package io.weir.tck;

/** Two nodes of one JVM. */
class LocalTransportTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("local");
    }
}
