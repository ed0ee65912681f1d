package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.samples.process.Ip;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.TwoHosts;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands as a user calls them, with their processes in two network namespaces. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class NetworkedTest extends WeirCommand {

    private static final Pattern NETWORKS = Pattern.compile("networks +(weir-\\S+) and (weir-\\S+)");

    @TempDir
    private Path folder;

    private static void assumeNetworks() {
        try {
            TwoHosts.make(new Ip("ip")).close();
        } catch (ProgramFailed e) {
            assumeTrue(false, e.getMessage());
        }
    }

    private Path file() throws IOException {
        byte[] content = new byte[4 << 20];
        new Random(1).nextBytes(content);
        return Files.write(folder.resolve("file"), content);
    }

    private void succeeds(String... arguments) {
        assertThat(weir(arguments)).as(() -> out + "\n" + err).isZero();
        nothingIsLeft(out.toString());
    }

    private static void nothingIsLeft(String said) {
        Matcher networks = NETWORKS.matcher(said);
        assertThat(networks.find()).as(said).isTrue();
        for (int i = 1; i <= networks.groupCount(); i++) {
            assertThat(Path.of("/run/netns", networks.group(i))).doesNotExist();
        }
    }

    @Test
    void theDemoStreamsOverEthernetAndOverTcp() throws IOException {
        assumeNetworks();
        Path file = file();
        succeeds("demo", "--network", "--file", file.toString(), "--rounds", "1");
        assertThat(out.toString())
                .contains("A first process streams a file to a second one.")
                .containsPattern("p4sock +chosen ")
                .endsWith("The digests agree, over p4sock and over tcp.\n");
    }

    @Test
    void withoutAPathNoMemoryIsShared() {
        assumeNetworks();
        succeeds("sample", "calls", "--network");
        // Root may use it.
        assertThat(out.toString())
                .containsPattern("bank +process \\d+, over p4sock\\n")
                .contains("its exception is caught here by its type");
    }

    @Test
    void aProgramOfRmiGoesOverEthernet() {
        assumeNetworks();
        succeeds("sample", "rmi", "--network", "--path", "p4sock");
        assertThat(out.toString())
                .contains("client        an exception of its own type")
                .containsPattern("client +weir: \\S+ over p4sock: \\d{7} bytes sent, \\d{7} received");
    }

    @Test
    void aProgramOfRmiGoesOverWhatThereIsOnOneHost() {
        assertThat(weir("sample", "rmi", "--path", "tcp"))
                .as(() -> out + "\n" + err)
                .isZero();
        assertThat(out.toString()).containsPattern("client +weir: \\S+ over tcp: \\d{7} bytes sent");
    }

    @Test
    void whyAProgramOfRmiHasNoPathIsTold() {
        assertThat(weir("sample", "rmi", "--path", "elan")).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("weir sample rmi: The client has failed: no path leads to ")
                .contains("this process was not started as one of a parallel job on QsNet");
    }

    @Test
    void nothingIsLeftOfOneThatIsEndedBySignal() throws Exception {
        assumeNetworks();
        Process demo = OwnJava.start(
                OwnJava.shortCommand(
                        Weir.class, "demo", "--network", "--file", file().toString(), "--rounds", "100000"),
                Map.of());
        try (BufferedReader lines = demo.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null && !line.startsWith("Over p4sock"); ) {
                out.append(line).append('\n');
            }
            List<ProcessHandle> others = demo.descendants().toList();
            assertThat(others).as(out::toString).hasSize(2);

            demo.destroy();

            assertThat(demo.waitFor(1, TimeUnit.MINUTES)).isTrue();
            nothingIsLeft(out.toString());
            for (ProcessHandle each : others) {
                var unused = each.onExit().get(1, TimeUnit.MINUTES);
            }
        } finally {
            var unused = demo.destroyForcibly();
        }
    }

    @Test
    void whoCanHaveNoneIsToldWhy() throws IOException, InterruptedException {
        for (List<String> command : List.of(List.of("demo"), List.of("sample", "calls"))) {
            List<String> java = OwnJava.shortCommand(Weir.class, command.toArray(String[]::new));
            java.add("--network");
            Process weir = OwnJava.start(java, Map.of("PATH", folder.toString()));
            String said = new String(weir.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(weir.waitFor()).as(said).isEqualTo(1);
            assertThat(said)
                    .startsWith("weir " + String.join(" ", command)
                            + ": The command ip, of the package iproute2, makes the networks, and can't be run: ")
                    .hasLineCount(1);
        }
    }
}
