package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfSendOverElanOnEmulation extends RulesOfSend {

    public RulesOfSendOverElanOnEmulation() {
        super(Fabric.ELAN);
    }
}
