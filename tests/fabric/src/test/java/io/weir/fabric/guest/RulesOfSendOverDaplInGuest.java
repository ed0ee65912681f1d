package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfSendOverDaplInGuest extends RulesOfSend {

    public RulesOfSendOverDaplInGuest() {
        super(Fabric.DAPL);
    }
}
