package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfReceiveOverP4OnWire extends RulesOfReceive {

    public RulesOfReceiveOverP4OnWire() {
        super(Fabric.P4SOCK);
    }
}
