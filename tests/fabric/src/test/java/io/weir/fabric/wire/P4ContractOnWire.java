package io.weir.fabric.wire;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/** Frames that go out of one interface come in at the other. */
class P4ContractOnWire implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("p4sock");
    }
}
