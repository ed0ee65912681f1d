package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfSendOverP4OnWire extends RulesOfSend {

    public RulesOfSendOverP4OnWire() {
        super(Fabric.P4SOCK);
    }
}
