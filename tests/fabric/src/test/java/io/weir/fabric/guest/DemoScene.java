package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.demo.Demo;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What {@code ./weir demo} does over a path. The first of both processes is this one, which saves its start. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class DemoScene {

    /** Enough for many pieces, each of which the other side's device reads. */
    private static final int FILE = 3 << 20;

    private final StringWriter said = new StringWriter();

    @TempDir
    Path folder;

    /** The other process has none of these, and takes the first device that there is. */
    private static void tellThisOne(Fabric fabric) {
        fabric.options(End.FAR).forEach((option, value) -> System.setProperty(fabric.property(option), value));
    }

    @AfterEach
    void tellNothing() {
        for (Fabric fabric : Fabric.values()) {
            fabric.options(End.FAR).keySet().forEach(option -> System.clearProperty(fabric.property(option)));
        }
    }

    private String run(Object command, String... arguments) {
        PrintWriter out = new PrintWriter(said, true);
        int code = new CommandLine(command).setOut(out).setErr(out).execute(arguments);
        assertThat(code).as(said::toString).isZero();
        return said.toString();
    }

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#first")
    void theDemoStreamsAFile(Fabric fabric) throws IOException {
        tellThisOne(fabric);
        byte[] content = new byte[FILE];
        new Random(FILE).nextBytes(content);
        Path file = Files.write(folder.resolve("file"), content);
        assertThat(run(new Demo(), "--path", fabric.path, "--rounds", "1", "--file", file.toString()))
                .containsPattern(fabric.path + " +chosen")
                .contains("The digests agree, over " + fabric.path + '.');
    }
}
