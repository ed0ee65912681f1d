package io.weir.fabric;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The tests of {@code io.weir.fabric.guest}, all in one guest, and each with its outcome here. Where there can be no
 * guest they are skipped, or fail with {@code -Dweir.fabric=required}.
 */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class GuestTest {

    @TestFactory
    List<DynamicNode> inTheGuest() throws IOException, InterruptedException {
        Optional<String> missing = Guest.missing();
        if (missing.isPresent()) {
            return Retelling.without("a guest", missing.get());
        }
        Visit guest = Guest.visit();
        return Guest.isNone(guest)
                ? Retelling.without("a guest", guest.lastWords())
                : new Retelling("the guest", guest.outcomes(), guest.hasRunToItsEnd(), guest::lastWords).nodes();
    }
}
