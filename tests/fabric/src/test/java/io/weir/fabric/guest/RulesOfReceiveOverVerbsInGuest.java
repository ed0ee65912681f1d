package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfReceiveOverVerbsInGuest extends RulesOfReceive {

    public RulesOfReceiveOverVerbsInGuest() {
        super(Fabric.VERBS);
    }
}
