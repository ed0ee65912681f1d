package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A device can be cut off from the other one, and comes back: what tests of lost paths rely on. */
class PlugInGuest {

    @Test
    void aPulledPlugTakesItsOwnPortDown() throws IOException, InterruptedException {
        try (Plug plug = Plug.pull("rxe1")) {
            assertThat(port("rxe1")).contains("PORT_DOWN");
            assertThat(port("rxe0")).contains("PORT_ACTIVE");
        }
        assertThat(port("rxe1")).contains("PORT_ACTIVE");
    }

    private static String port(String device) throws IOException, InterruptedException {
        return Program.run("ibv_devinfo", "-d", device);
    }
}
