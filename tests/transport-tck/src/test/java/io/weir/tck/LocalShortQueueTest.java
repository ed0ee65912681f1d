package io.weir.tck;

/** A queue that is full almost always. */
class LocalShortQueueTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("local").with("queue", "2");
    }
}
