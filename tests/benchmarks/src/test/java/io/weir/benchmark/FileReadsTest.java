package io.weir.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileReadsTest {

    @Test
    @Tag("one-jdk")
    void eachReadsAllOfIt(@TempDir Path folder) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        new FileReads(1, 4 << 20).measure(folder, line -> {}, new PrintStream(printed, true, UTF_8));
        assertThat(printed.toString(UTF_8).lines())
                .hasSize(5)
                .anyMatch(line -> line.matches("\\| sendfile, plain socket +\\| .* GB/s +\\| 1\\.00 .*"))
                .anyMatch(line -> line.startsWith("| weir-tcp "))
                .anyMatch(line -> line.startsWith("| weir-shm "));
    }
}
