package io.weir.fabric.guest;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/** Slots and a pool of the usual size. */
class GmContractOnEmulation implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("gm").with("library", Fabric.EMULATION_OF_GM);
    }
}
