package io.weir.tck;

import io.weir.core.Bootstrap;
import io.weir.core.Transport;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;

/** What {@link ServiceLoader} finds, and what a test does when something is missing. */
final class Paths {

    private static final List<String> REQUIRED =
            List.of(System.getProperty("weir.required.transports", "").split("\\s*,\\s*"));

    private Paths() {}

    /** The transport of this name. Aborts the test where there is none. */
    static Transport transport(String name, ClassLoader classes) {
        List<Transport> found = ServiceLoader.load(Transport.class, classes).stream()
                .map(ServiceLoader.Provider::get)
                .filter(transport -> transport.name().equals(name))
                .toList();
        if (found.isEmpty()) {
            throw missing(name, "no transport of this name is on the class path");
        }
        if (found.size() > 1) {
            throw new AssertionError("more than one transport is named " + name + ": " + found);
        }
        return found.get(0);
    }

    /** The one bootstrap. Aborts the test where there is none. */
    static Bootstrap bootstrap() {
        return ServiceLoader.load(Bootstrap.class)
                .findFirst()
                .orElseThrow(() -> missing("tcp", "no bootstrap is on the class path"));
    }

    /** Skips the test, or fails it when this path is required. Never returns. */
    static AssertionError missing(String path, String reason) {
        String sentence = "the path " + path + " is missing here: " + reason;
        if (REQUIRED.contains(path)) {
            return new AssertionError(sentence + ", but weir.required.transports names it");
        }
        return Assumptions.abort(sentence);
    }
}
