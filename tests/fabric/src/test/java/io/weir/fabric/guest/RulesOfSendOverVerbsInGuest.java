package io.weir.fabric.guest;

import org.testng.annotations.Test;

@Test
public final class RulesOfSendOverVerbsInGuest extends RulesOfSend {

    public RulesOfSendOverVerbsInGuest() {
        super(Fabric.VERBS);
    }
}
