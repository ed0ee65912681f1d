package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.config.PathSwitch;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Something else stands where the run-time folder should be: the paths that need it are out of use, and the operator
 * hears why.
 */
@EnabledOnOs(OS.LINUX)
class SquattedFolderTest implements OnRoute {

    @Test
    void isWarnedOfAndNamedInTheDecision(Nodes nodes, @TempDir Path temporary) throws IOException {
        Path squatted = Files.createFile(temporary.resolve("weir"));
        String sentence = "the run-time folder " + squatted + " is not a folder; remove it or name another one,"
                + " weir.runtime-folder (it belongs to uid " + Files.getAttribute(squatted, "unix:uid") + ")";
        Node far;
        try (LogLines said = new LogLines("io.weir.transport.shm")) {
            far = nodes.start(Route.any("far").runtimeFolder(squatted).build());
            assertThat(said.of(Level.WARN)).contains("shm can't be used: " + sentence);
        }
        Pair pair = nodes.connect(
                nodes.start(Route.any("near").path("local", PathSwitch.OFF).build()), far);
        pair.settle();
        assertThat(pair.peer().path().line()).contains(" over tcp ");
        assertThat(pair.peer().path().attempts())
                .anySatisfy(attempt -> assertThat(attempt.reason()).contains(sentence));
    }
}
