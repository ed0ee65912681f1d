package io.weir.fabric.guest;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/**
 * As few and as short slots as possible, and no registered memory for long bodies but what reading them in pieces
 * needs.
 */
class ElanSmallOnEmulation implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("elan")
                .with("library", Fabric.EMULATION_OF_ELAN)
                .with("device", Fabric.EMULATION_OF_ELAN)
                .with("slots", "8")
                .with("slot-size", "36k")
                .with("pool-size", "0");
    }
}
