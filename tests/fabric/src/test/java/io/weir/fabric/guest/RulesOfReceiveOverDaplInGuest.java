package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfReceiveOverDaplInGuest extends RulesOfReceive {

    public RulesOfReceiveOverDaplInGuest() {
        super(Fabric.DAPL);
    }
}
