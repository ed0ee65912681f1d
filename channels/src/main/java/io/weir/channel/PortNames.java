package io.weir.channel;

import io.weir.core.Misconfigured;
import java.nio.charset.StandardCharsets;

/** What holds for the names of ports. */
final class PortNames {

    /** In bytes of UTF-8. Longer names are refused: a port's name is an identifier. */
    static final int LONGEST = 255;

    private PortNames() {}

    /** @throws Misconfigured if no port may have this name */
    static void check(String port) {
        if (port.isBlank() || port.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            throw new Misconfigured("'" + port + "' is no port name: 1 to " + LONGEST + " bytes");
        }
    }

    /** Whether what has begun may need this port to come to its end: callbacks go there. */
    static boolean endsWhatHasBegun(String port) {
        return port.startsWith("weir.references");
    }
}
