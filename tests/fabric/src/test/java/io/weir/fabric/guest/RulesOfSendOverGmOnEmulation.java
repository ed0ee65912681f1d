package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfSendOverGmOnEmulation extends RulesOfSend {

    public RulesOfSendOverGmOnEmulation() {
        super(Fabric.GM);
    }
}
