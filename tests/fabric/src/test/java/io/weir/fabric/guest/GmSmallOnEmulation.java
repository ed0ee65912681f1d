package io.weir.fabric.guest;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/**
 * As few and as short slots as possible, and no registered memory for long bodies but what reading them in pieces
 * needs.
 */
class GmSmallOnEmulation implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("gm")
                .with("library", Fabric.EMULATION_OF_GM)
                .with("slots", "8")
                .with("slot-size", "36k")
                .with("pool-size", "0");
    }
}
