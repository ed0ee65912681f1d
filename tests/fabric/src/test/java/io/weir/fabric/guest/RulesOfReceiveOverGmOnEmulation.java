package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfReceiveOverGmOnEmulation extends RulesOfReceive {

    public RulesOfReceiveOverGmOnEmulation() {
        super(Fabric.GM);
    }
}
