package io.weir.fabric;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.opentest4j.TestAbortedException;

/**
 * The tests of {@code io.weir.fabric.guest}, all in one guest, and each with its outcome here. Where there can be no guest they are
 * skipped, or fail with {@code -Dweir.fabric=required}.
 */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class GuestTest {

    @TestFactory
    List<DynamicNode> inTheGuest() throws IOException, InterruptedException {
        Optional<String> missing = Guest.missing();
        if (missing.isPresent()) {
            throw without(missing.get());
        }
        Guest guest = Guest.visit();
        if (guest.isNone()) {
            throw without(guest.lastWords());
        }
        return new Retelling(guest.outcomes(), guest.hasRunToItsEnd(), guest::lastWords).nodes();
    }

    private static AssertionError without(String reason) {
        if ("required".equals(System.getProperty("weir.fabric"))) {
            return new AssertionError(reason);
        }
        throw new TestAbortedException(reason);
    }
}
