package io.weir.fabric;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import io.weir.core.Availability;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.dapl.DaplTransport;
import io.weir.transport.elan.ElanTransport;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Where a {@link Visit} leads: runs the tests of all classes whose full name has the given form, and writes to the
 * given file what became of them. Of these only those whose methods have the form that {@code weir.fabric.methods}
 * gives, and no more after one that has failed if {@code weir.fabric.until-failure} is true.
 */
public final class VisitMain {

    /** Has run to its end, which says nothing about the tests. */
    static final int DONE = 0;

    /** Has ended behind a test that has failed. */
    static final int FAILED = 3;

    private VisitMain() {}

    public static void main(String[] arguments) throws IOException {
        String required = System.getProperty("weir.required.transports", "");
        if (required.contains("dapl")) {
            openAdaptersOfDapl();
        }
        if (required.contains("elan")) {
            joinElansJob();
        }
        try (BufferedWriter outcomes = Files.newBufferedWriter(Path.of(arguments[0]))) {
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(
                                            selectPackage("io.weir.fabric.guest"),
                                            selectPackage("io.weir.fabric.wire"),
                                            selectPackage("io.weir.transport"))
                                    .filters(includeClassNamePatterns(arguments[1]), methods())
                                    // One that hangs is told by its name, and the others have their turn.
                                    .configurationParameter("junit.jupiter.execution.timeout.default", "3 m")
                                    .build(),
                            new OutcomeWriter(outcomes, atFailure()));
        }
        // A thread that a test has left behind keeps nobody here.
        System.exit(DONE);
    }

    private static PostDiscoveryFilter methods() {
        Pattern form = Pattern.compile(System.getProperty("weir.fabric.methods", ".*"));
        return found -> FilterResult.includedIf(!(found.getSource().orElse(null) instanceof MethodSource method)
                || form.matcher(method.getMethodName()).matches());
    }

    /** Who wants to know no more than whether one fails has the rest of the time. */
    private static Runnable atFailure() {
        // Nothing is closed, as that may be what hangs.
        return Boolean.getBoolean("weir.fabric.until-failure")
                ? () -> Runtime.getRuntime().halt(FAILED)
                : () -> {};
    }

    /** Their first use opens what stays open, which is not what a test has left behind. */
    private static void openAdaptersOfDapl() {
        for (String adapter : List.of("ofa-v2-cma-rxe", "ofa-v2-cma-far")) {
            Availability here = availability(new DaplTransport(), Map.of("adapter", adapter));
            if (here instanceof Availability.Missing missing) {
                throw new IllegalStateException(missing.reason());
            }
        }
    }

    /** As above. Each test says itself if there is none. */
    private static void joinElansJob() {
        String library = System.getenv("WEIR_TRANSPORT_ELAN_LIBRARY");
        var unused = availability(new ElanTransport(), Map.of("library", library, "device", library));
    }

    private static Availability availability(Transport transport, Map<String, String> options) {
        return transport.availability(new TransportSettings(Path.of("unused"), true, options));
    }
}
