package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Methods that HotSpot has to compile on their own, because what they call is inlined only then: they are longer than
 * what it inlines. Whoever shortens one halves the throughput in some JVMs, and nothing else fails.
 */
class CompiledApartTest {

    private static final Pattern OFFSET = Pattern.compile("(?m)^ +(\\d+): ");

    @ParameterizedTest
    @CsvSource({"io.weir.transport.shm.FrameWriter, writeInline", "io.weir.transport.shm.RingReader, fill"})
    void isLongerThanWhatIsInlined(String type, String method) throws Exception {
        assertThat(length(Class.forName(type), method)).isGreaterThan(longestInlined());
    }

    /** As this JVM has it. */
    private static int longestInlined() {
        return Integer.parseInt(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("FreqInlineSize")
                .getValue());
    }

    /** Where its last instruction begins. */
    private static int length(Class<?> type, String method) throws Exception {
        List<String> found = Pattern.compile("\n\n")
                .splitAsStream(disassembled(type))
                .filter(each -> each.lines().anyMatch(line -> line.matches("  \\S.* " + method + "\\(.*;")))
                .toList();
        assertThat(found).as("methods %s of %s", method, type).hasSize(1);
        return OFFSET.matcher(found.get(0))
                .results()
                .map((MatchResult offset) -> Integer.parseInt(offset.group(1)))
                .max(Integer::compare)
                .orElseThrow();
    }

    private static String disassembled(Class<?> type) throws Exception {
        String classes =
                type.getProtectionDomain().getCodeSource().getLocation().toURI().getPath();
        StringWriter code = new StringWriter();
        PrintWriter out = new PrintWriter(code);
        int result =
                ToolProvider.findFirst("javap").orElseThrow().run(out, out, "-p", "-c", "-cp", classes, type.getName());
        assertThat(result).as(code.toString()).isZero();
        return code.toString();
    }
}
