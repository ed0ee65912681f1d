package io.weir.fabric;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

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
            return without(missing.get());
        }
        Guest guest = Guest.visit();
        return guest.isNone()
                ? without(guest.lastWords())
                : new Retelling(guest.outcomes(), guest.hasRunToItsEnd(), guest::lastWords).nodes();
    }

    /** A test, as a build counts no factory that is skipped. */
    private static List<DynamicNode> without(String reason) {
        return List.of(dynamicTest("there is a guest", () -> {
            if ("required".equals(System.getProperty("weir.fabric"))) {
                throw new AssertionError(reason);
            }
            throw new TestAbortedException(reason);
        }));
    }
}
