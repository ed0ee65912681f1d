package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfReceiveOverElanOnEmulation extends RulesOfReceive {

    public RulesOfReceiveOverElanOnEmulation() {
        super(Fabric.ELAN);
    }
}
