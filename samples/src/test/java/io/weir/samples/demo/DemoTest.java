package io.weir.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.samples.process.Ip;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.TwoHosts;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command as a user calls it, with its real second process. */
class DemoTest {

    private static final Pattern PROCESS = Pattern.compile("to process (\\d+)\\n");

    private static final Pattern NETWORKS = Pattern.compile("networks +(weir-\\S+) and (weir-\\S+)");

    /** The second process, as soon as the command has told of it. */
    private final CompletableFuture<ProcessHandle> second = new CompletableFuture<>();

    private final StringWriter out = new StringWriter() {
        @Override
        public void flush() {
            Matcher found = PROCESS.matcher(toString());
            if (found.find()) {
                second.complete(ProcessHandle.of(Long.parseLong(found.group(1))).orElse(null));
            }
        }
    };
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    private int demo(String... arguments) {
        return new CommandLine(new Demo())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private Path file(int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return Files.write(folder.resolve("file"), content);
    }

    /** A path is shown because it was asked for. */
    @Test
    void nothingIsMeasured() {
        System.setProperty("weir.transport.order", "measured, shm, tcp");
        try {
            assertThat(Demo.spec("tcp").paths()).hasToString("shm, tcp; shm=off");
        } finally {
            System.clearProperty("weir.transport.order");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theStreamGoesOnWhenItsPathIsCut() throws IOException {
        Path file = file(64 * FilePieces.PIECE);
        assertThat(demo("--cut", "--file", file.toString(), "--rounds", "250")).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .containsSubsequence(
                        " 25 %",
                        "moved         receiver-",
                        " over tcp (round trip ",
                        ", because shm was lost: ",
                        "moved         receiver-",
                        " over shm (round trip ",
                        ", because it stands before tcp",
                        ", the same",
                        "paths         shm - tcp - shm",
                        "The digests agree, over shm, cut on the way.");
    }

    @Test
    void theStreamOutlivesTheNetwork() throws IOException {
        try {
            TwoHosts.make(new Ip("ip")).close();
        } catch (ProgramFailed e) {
            assumeTrue(false, e.getMessage());
        }
        Path file = file(64 * FilePieces.PIECE);
        assertThat(demo("--cut=network", "--file", file.toString(), "--rounds", "250"))
                .as(out.toString())
                .isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .containsSubsequence(
                        "Over shm, from process ",
                        "network       goes down (ip link set dev weir0 down), and the stream goes on over shm",
                        " 50 %",
                        "shm           is cut as well, and the stream waits",
                        "network       is back (ip link set dev weir0 up)",
                        "moved         receiver-",
                        "because the bootstrap connection was lost",
                        "stream        goes on, after it has stood still for ",
                        ", the same",
                        "Over tcp, from process ",
                        "network       goes down (ip link set dev weir0 down), and the stream waits",
                        "network       is back (ip link set dev weir0 up)",
                        "moved         receiver-",
                        "stream        goes on, after it has stood still for ",
                        ", the same",
                        "The digests agree, over shm and over tcp.");
        Matcher networks = NETWORKS.matcher(out.toString());
        assertThat(networks.find()).isTrue();
        assertThat(Path.of("/run/netns", networks.group(1))).doesNotExist();
        assertThat(Path.of("/run/netns", networks.group(2))).doesNotExist();
    }

    @Test
    void onlySharedMemoryIsCut() {
        assertThat(demo("--cut", "--path", "tcp")).isEqualTo(2);
        assertThat(err.toString()).contains("--path=tcp", "Usage: demo");
    }

    @Test
    void aNetworkOnlyIsNotCut() {
        assertThat(demo("--network", "--cut")).isEqualTo(2);
        assertThat(err.toString()).contains("--network cuts nothing", "Usage: demo");
    }

    @Test
    void whatElseCanNotBeCut() {
        assertThat(demo("--cut=disk")).isEqualTo(2);
        assertThat(err.toString()).contains("--cut=disk is not known", "Usage: demo");
    }

    @Test
    void aNetworkIsCutUnderTwoPaths() {
        assertThat(demo("--cut=network", "--path", "elan")).isEqualTo(2);
        assertThat(err.toString()).contains("--path=elan", "Usage: demo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void theDigestsAgree(String path) throws IOException {
        Path file = file(32 * FilePieces.PIECE);
        String digest = Subject.of(file).digest();
        assertThat(demo("--path", path, "--file", file.toString())).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .contains("  file          " + file + ", 4.2 MB")
                .containsPattern("receiver-[0-9a-f]{8} over " + path + " \\(round trip .*\\), decided ")
                .containsPattern(" " + path + " +chosen ")
                .containsPattern("local +rejected ")
                .containsSubsequence(" 25 %", " 50 %", " 75 %", "100 %")
                .containsPattern("speed +\\d+ MB/s: 4.2 MB in ")
                .containsPattern("slow stage +at work for ")
                .containsPattern("backpressure +the reader stood still for ")
                .containsPattern("memory here +at most .* resident .*of heap")
                .containsPattern("memory there +at most .* resident .*of heap")
                .containsSubsequence(
                        "SHA-256       " + digest + ", computed here", "SHA-256       " + digest + ", the same")
                .endsWith("The digests agree, over " + path + "." + System.lineSeparator());
        assertThat(second.join())
                .satisfiesAnyOf(
                        gone -> assertThat(gone).isNull(),
                        gone -> assertThat(gone.isAlive()).isFalse());
    }

    @Test
    void anUnknownPathIsRefusedWithTheNearestOne() {
        assertThat(demo("--path", "myrinet")).isEqualTo(2);
        assertThat(err.toString()).contains("'myrinet'", "did you mean gm?", "Usage: demo");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aPathThatCanNotBeUsedIsExplained() throws IOException {
        assertThat(demo("--path", "elan", "--file", file(100).toString())).isEqualTo(1);
        assertThat(out.toString())
                .containsPattern("elan +rejected .*this process was not started as one of a parallel job on QsNet")
                .contains("Failed: ");
        assertThat(err.toString())
                .contains(
                        "There is no elan between the two processes: ",
                        "this process was not started as one of a parallel job on QsNet");
    }

    @Test
    void roundsMustBePositive() {
        assertThat(demo("--rounds", "0")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--rounds=0 is less than 1.");
    }

    @Test
    void anAbsentFile() {
        assertThat(demo("--file", folder.resolve("absent").toString())).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("weir demo: There is no file " + folder.resolve("absent") + ".\n");
    }

    @Test
    void aFolderIsNoFile() {
        assertThat(demo("--file", folder.toString())).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("weir demo: " + folder + " is no regular file.\n");
    }

    @Test
    void anEmptyFile() throws IOException {
        assertThat(demo("--file", file(0).toString())).isEqualTo(1);
        assertThat(err.toString()).contains("file is empty");
    }

    /** Even root can't read the beginning of its own memory. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void anUnreadableFile() {
        assertThat(demo("--file", "/proc/self/mem")).isEqualTo(1);
        assertThat(err.toString()).startsWith("weir demo: /proc/self/mem can't be read: ");
    }

    @Test
    void aSecondProcessThatDiesIsReported() throws Exception {
        Path file = file(2_000_000);
        CompletableFuture<Integer> result = CompletableFuture.supplyAsync(
                () -> demo("--path", "tcp", "--file", file.toString(), "--rounds", "100000"));
        ProcessHandle process = second.get(60, TimeUnit.SECONDS);
        assertThat(process.destroyForcibly()).isTrue();
        assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(err.toString()).startsWith("weir demo: ");
        assertThat(out.toString()).contains("Failed: ");
    }
}
