package io.weir.fabric;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code tests/fabric/run} does, from the side of the host. The module's folder is where the tests run. */
final class Guest {

    /** How {@code run} exits where there can be no guest. */
    private static final int NONE = 77;

    /** A third of it is enough on a machine that has nothing else to do. */
    private static final String LIMIT_SECONDS = "1200";

    /**
     * How long a test waits for one thing, in seconds. Two programs that start at once take the emulated processors up
     * to a minute, and twice that while the host runs other tests.
     */
    private static final String PATIENCE_SECONDS = "300";

    private static final Path RUN = Path.of("run").toAbsolutePath();

    private Guest() {}

    /** Why there can be no guest on this machine, if it is so. */
    static Optional<String> missing() throws IOException, InterruptedException {
        Process check = new ProcessBuilder(RUN.toString(), "--check")
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return check.waitFor() == 0 ? Optional.empty() : Optional.of(said);
    }

    /** Boots a guest, runs all its tests, and returns when it has ended. */
    static Visit visit() throws IOException, InterruptedException {
        return Visit.pay(
                List.of(
                        // It ends with this JVM, even if that is killed.
                        "setpriv",
                        "--pdeathsig",
                        "TERM",
                        RUN.toString(),
                        // As ordinary users have it: a limit of locked memory holds, though there is none at first.
                        "setpriv",
                        "--bounding-set",
                        "-ipc_lock",
                        "--inh-caps",
                        "-ipc_lock"),
                List.of(
                        // The plainest collector and compiler: an emulated processor has no time for better ones.
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-Dweir.test.effort=5",
                        "-Dweir.test.patience=" + PATIENCE_SECONDS,
                        "-Dweir.required.transports=verbs,dapl",
                        // Also of the processes that a sample starts, which are told what this one is told.
                        "-Dweir.timeout.connect=240s",
                        "-Dweir.timeout.handshake=240s",
                        "-Dweir.timeout.head-start=240s",
                        "-Dweir.timeout.step=15s"),
                System.getProperty(
                        "weir.fabric.classes",
                        // An emulated processor takes minutes to start the programs of RMI and of the demo. These
                        // scenes are played over the other paths, and do not know which path they have.
                        Lane.isWhole() ? ".*(InGuest|(?<!Rmi|Demo)Scene)" : ".*((Verbs|Dapl)Contract|PingPong)InGuest"),
                "guest",
                Map.of("WEIR_GUEST_LIMIT", LIMIT_SECONDS, "WEIR_GUEST_SHOW", repository()));
    }

    /** Where Maven keeps what the class path names, as it tells its tests; nothing if somebody else runs them. */
    private static String repository() {
        return System.getProperty("localRepository", "");
    }

    /** It could not be started after all: what it would take could not be installed. */
    static boolean isNone(Visit visit) {
        return visit.status() == NONE && visit.outcomes().isEmpty();
    }
}
