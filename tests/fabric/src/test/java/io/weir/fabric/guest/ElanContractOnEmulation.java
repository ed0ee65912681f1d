package io.weir.fabric.guest;

import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;

/** Slots and a pool of the usual size. */
class ElanContractOnEmulation implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("elan")
                .with("library", Fabric.EMULATION_OF_ELAN)
                .with("device", Fabric.EMULATION_OF_ELAN);
    }
}
