package io.weir.fabric;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import io.weir.core.Availability;
import io.weir.core.TransportSettings;
import io.weir.transport.dapl.DaplTransport;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * In the guest: runs the tests of all classes whose name ends with {@code InGuest}, and writes to the given file what became of them. To look
 * at some classes only, {@code -Dweir.fabric.classes} takes a pattern for their full names.
 */
public final class GuestMain {

    /** Has run to its end, which says nothing about the tests. */
    static final int DONE = 0;

    private GuestMain() {}

    public static void main(String[] arguments) throws IOException {
        openAdaptersOfDapl();
        try (BufferedWriter outcomes = Files.newBufferedWriter(Path.of(arguments[0]))) {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(
                                            selectPackage("io.weir.fabric.guest"), selectPackage("io.weir.transport"))
                                    .filters(includeClassNamePatterns(
                                            System.getProperty("weir.fabric.classes", ".*InGuest")))
                                    // One that hangs is told by its name, and the others have their turn.
                                    .configurationParameter("junit.jupiter.execution.timeout.default", "3 m")
                                    .build(),
                            new OutcomeWriter(outcomes));
        }
        // A thread that a test has left behind keeps nobody here.
        System.exit(DONE);
    }

    /** Their first use opens what stays open, which is not what a test has left behind. */
    private static void openAdaptersOfDapl() {
        for (String adapter : List.of("ofa-v2-cma-rxe", "ofa-v2-cma-far")) {
            TransportSettings settings = new TransportSettings(Path.of("unused"), true, Map.of("adapter", adapter));
            Availability here = new DaplTransport().availability(settings);
            if (here instanceof Availability.Missing missing) {
                throw new IllegalStateException(missing.reason());
            }
        }
    }
}
