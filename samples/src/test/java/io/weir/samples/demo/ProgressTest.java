package io.weir.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final StringWriter out = new StringWriter();

    private Progress progress(boolean terminal, long total) {
        return new Progress(new PrintWriter(out), terminal, total, percent -> {});
    }

    @Test
    void aLineForEachQuarter() {
        Progress progress = progress(false, 1000);
        for (int i = 0; i < 100; i++) {
            progress.add(10);
        }
        progress.end();
        assertThat(out.toString().lines())
                .hasSize(4)
                .allMatch(line -> line.matches(" +\\d+ %  0.0 MB  \\d+\\.\\d s"))
                .first()
                .asString()
                .startsWith("   25 %");
    }

    @Test
    void aBarThatGrowsInPlace() {
        Progress progress = progress(true, 4);
        progress.add(1);
        progress.add(3);
        progress.end();
        String[] states = out.toString().split("\r");
        assertThat(states).hasSize(3);
        assertThat(states[1]).startsWith("  [" + "#".repeat(10) + ".".repeat(30) + "]  25 %");
        assertThat(states[2]).startsWith("  [" + "#".repeat(40) + "] 100 %");
        assertThat(out.toString()).endsWith(" s" + System.lineSeparator());
    }

    @Test
    void aFileThatGrowsMeanwhileIsNotMoreThanWhole() {
        progress(false, 10).add(30);
        assertThat(out.toString()).startsWith("  100 %");
    }
}
