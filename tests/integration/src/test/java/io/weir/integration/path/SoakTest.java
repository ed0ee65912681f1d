package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.integration.Child;
import io.weir.integration.OnRoute;
import io.weir.integration.OtherProcess;
import io.weir.integration.Route;
import io.weir.tck.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two processes do random things with each other for a while, {@code -Dweir.soak.seconds} in all: nothing is lost,
 * doubled or reordered, memory stays within its bound, and in the end both hold what they held before.
 * {@code -Dweir.seed} repeats one.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 1, unit = TimeUnit.DAYS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("whole")
class SoakTest implements OnRoute {

    private static final int SECONDS = Integer.getInteger("weir.soak.seconds", 12);

    @ParameterizedTest
    @EnumSource(names = {"SHM", "TCP"})
    void onAllProcessors(Route route) {
        soak(List.of(), route, 7);
    }

    /** Whoever waits actively for the other one takes its processor from it. */
    @ParameterizedTest
    @EnumSource(names = {"SHM", "TCP"})
    void onOneProcessor(Route route) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "taskset is not installed");
        soak(List.of("taskset", "-c", firstProcessor()), route, 3);
    }

    /** Over shared memory and TCP by turns, moved and cut many times a second. */
    @Test
    void onTheMove() {
        soak(List.of(), Route.SHM, 4, Soak.MOVING);
    }

    /** One that we may use at all. */
    private static String firstProcessor() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip().split("[-,]", 2)[0])
                .findFirst()
                .orElseThrow();
    }

    private static void soak(List<String> before, Route route, int twentieths, String... more) {
        long seconds = Math.max(1, SECONDS * twentieths / 20);
        long seed = Seed.of("soak " + route + before + List.of(more));
        try (Child other = Child.start(before, OtherProcess.class, route.name());
                Child soak = Child.start(
                        before,
                        Soak.class,
                        Stream.concat(
                                        Stream.of(
                                                route.name(),
                                                other.address().toString(),
                                                Long.toString(seconds),
                                                Long.toString(seed)),
                                        Stream.of(more))
                                .toArray(String[]::new))) {
            int exit = soak.exitCode(seconds);
            assertThat(exit)
                    .as("%s%nThe other one:%n%s", soak.said(), other.said())
                    .isZero();
            System.out.println("soak over " + route + ", seed " + seed + ": "
                    + soak.said()
                            .lines()
                            .filter(line -> line.startsWith("DONE"))
                            .findFirst()
                            .orElse(""));
            assertThat(other.leave()).as(other.said()).isZero();
            assertThat(soak.said() + other.said()).doesNotContain("LEAK", "ERROR", "Exception");
        }
    }
}
