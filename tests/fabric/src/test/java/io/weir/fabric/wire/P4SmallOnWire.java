package io.weir.fabric.wire;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/** The smallest window and ring: a frame has more fragments than may be under way. */
class P4SmallOnWire implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("p4sock").with("window", "64k").with("ring-size", "256k");
    }
}
