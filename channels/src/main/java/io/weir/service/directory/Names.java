package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.PeerId;

/** What may be a name in a directory: it is printed, and compared, by others. */
final class Names {

    private Names() {}

    /** @throws Misconfigured naming what it is the name of */
    static void check(String what, String name) {
        int bytes = name.getBytes(UTF_8).length;
        if (name.isBlank() || bytes > PeerId.MAX_NAME || !name.equals(ForeignText.harmless(name))) {
            throw new Misconfigured(what + " can't be called '" + ForeignText.harmless(name) + "': a name has 1 to "
                    + PeerId.MAX_NAME + " bytes (this one " + bytes + ") and no control characters");
        }
    }
}
