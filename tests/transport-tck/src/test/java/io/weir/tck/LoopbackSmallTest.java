package io.weir.tck;

/** As few and as short slots as possible, and no registered memory for long bodies but what reading them in pieces needs. */
class LoopbackSmallTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("loopback")
                .with("slots", "8")
                .with("slot-size", "36k")
                .with("pool-size", "0");
    }
}
