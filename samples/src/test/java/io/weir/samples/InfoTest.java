package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.samples.InfoReport.PathInfo;
import io.weir.samples.InfoReport.Verdict;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class InfoTest extends WeirCommand {

    /** An adapter that is as available as its test wants. */
    private record Adapter(String name, Set<String> options, Supplier<Availability> verdict) implements Transport {

        @Override
        public Availability availability(TransportSettings settings) {
            return verdict.get();
        }

        @Override
        public @Nullable String reaches(PeerCard self, PeerCard peer) {
            return "nothing is reached from here";
        }

        @Override
        public PendingLink prepare(LinkRequest request) {
            throw new PeerUnavailable("nothing is reached from here");
        }
    }

    private static final Supplier<Availability> READY = Availability.Ready::new;

    private static InfoReport report(NodeSpec spec, Adapter... adapters) {
        return InfoReport.of(
                spec, Arrays.stream(adapters).collect(Collectors.toMap(Adapter::name, Function.identity())));
    }

    private static PathInfo path(InfoReport report, String path) {
        return report.paths().stream()
                .filter(info -> info.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyPathOfTheMissionHasAVerdict() {
        InfoReport report = report(NodeSpec.builder().build());
        assertThat(report.paths())
                .extracting(PathInfo::path)
                .containsExactly("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");
        assertThat(report.paths()).allSatisfy(path -> {
            assertThat(path.verdict()).isEqualTo(Verdict.NO_ADAPTER);
            assertThat(path.details()).isEqualTo("no adapter for " + path.path() + " is on the class path");
        });
    }

    @Test
    void tellsWhatIsReadyAndWhyTheRestIsNot() {
        InfoReport report = report(
                NodeSpec.builder().path("elan", PathSwitch.OFF).build(),
                new Adapter("shm", Set.of("ring-size", "copy-in"), READY),
                new Adapter("gm", Set.of(), () -> new Availability.Missing("libgm.so was not found")),
                new Adapter("dapl", Set.of(), () -> {
                    throw new UnsatisfiedLinkError("bad symbol");
                }),
                new Adapter("elan", Set.of(), () -> {
                    throw new AssertionError("what is switched off is not asked, since that may load native code");
                }),
                new Adapter("pigeon", Set.of(), READY));
        assertThat(report.paths()).last().isEqualTo(new PathInfo("pigeon", null, Verdict.READY, "", List.of()));
        assertThat(path(report, "shm"))
                .isEqualTo(new PathInfo("shm", 2, Verdict.READY, "", List.of("copy-in", "ring-size")));
        assertThat(path(report, "gm"))
                .isEqualTo(new PathInfo("gm", 5, Verdict.MISSING, "libgm.so was not found", List.of()));
        assertThat(path(report, "dapl"))
                .isEqualTo(new PathInfo(
                        "dapl",
                        4,
                        Verdict.MISSING,
                        "the adapter failed: java.lang.UnsatisfiedLinkError: bad symbol",
                        List.of()));
        assertThat(path(report, "elan"))
                .isEqualTo(new PathInfo("elan", 7, Verdict.OFF, "switched off: weir.transport.elan=off", List.of()));
    }

    @Test
    void theConfiguredOrderComesFirst() {
        InfoReport report = report(NodeSpec.builder().order("tcp", "shm").build());
        assertThat(report.paths())
                .extracting(PathInfo::path)
                .containsExactly("tcp", "shm", "local", "verbs", "dapl", "gm", "p4sock", "elan");
        assertThat(report.paths()).extracting(PathInfo::place).startsWith(1, 2, null);
    }

    @Test
    void anOptionThatCantBeUsedIsAnErrorAndNotAVerdict() {
        Adapter strict = new Adapter("shm", Set.of("ring-size"), () -> {
            throw new Misconfigured("ring-size=1 is out of range");
        });
        assertThatThrownBy(() -> report(NodeSpec.builder().build(), strict))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.shm.ring-size=1 is out of range");
    }

    @Test
    void printsForPeople() {
        InfoReport report = report(
                NodeSpec.builder().name("till").order("shm", "verbs", "gm").build(),
                new Adapter("shm", Set.of("ring-size"), READY),
                new Adapter("verbs", Set.of(), () -> new Availability.Ready("", "mlx5_0 port 1")),
                new Adapter("gm", Set.of(), () -> new Availability.Missing("libgm.so was not found")));
        InfoText.print(report, new PrintWriter(out));
        assertThat(out.toString())
                .contains(
                        "java ", "uid ", "settings        NodeSpec[weir.name=till, weir.transport.order=shm,verbs,gm]")
                .contains("""
                        The paths, in the order in which they are tried:
                          1.  shm     ready
                          2.  verbs   ready       mlx5_0 port 1
                          3.  gm      missing     libgm.so was not found
                          -   local   no adapter  no adapter for local is on the class path
                        """)
                .endsWith("""

                        Their options:
                          weir.transport.shm.ring-size
                        """);
    }

    @Test
    void aMeasuredOrderIsNoOrderYet() {
        InfoReport report =
                report(NodeSpec.builder().order("measured", "shm", "gm").build(), new Adapter("shm", Set.of(), READY));
        InfoText.print(report, new PrintWriter(out));
        assertThat(out.toString()).contains("""
                        The paths, of which those with a number are measured, and the fastest one is used:
                          1.  shm     ready
                          2.  gm      no adapter  no adapter for gm is on the class path
                          -   local   no adapter  no adapter for local is on the class path
                        """);
    }

    @Test
    void theCommandKnowsEveryPath() {
        assertThat(weir("info")).isZero();
        assertThat(out.toString()).contains("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theCommandPrintsJsonToo() {
        assertThat(weir("info", "--json")).isZero();
        JsonNode json = JsonMapper.shared().readTree(out.toString());
        assertThat(json.get("paths").size()).isGreaterThanOrEqualTo(8);
        assertThat(json.get("paths").get(0).get("path").asString()).isEqualTo("local");
        assertThat(json.get("host").get("boot-id").asString()).isNotEmpty();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aWrongSettingIsToldInWordsWithoutAStackTrace() {
        System.setProperty("weir.transport.order", "myrinet");
        try {
            assertThat(weir("info")).isEqualTo(1);
        } finally {
            System.clearProperty("weir.transport.order");
        }
        assertThat(err.toString())
                .startsWith("weir: weir.transport.order names 'myrinet', which is no path; did you mean gm? Known: ")
                .hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void noSecretIsPrinted() {
        System.setProperty("weir.security.secret", "hunter2-hunter2-hunter2");
        try {
            assertThat(weir("info")).isZero();
            assertThat(weir("info", "--json")).isZero();
            System.setProperty("weir.security.require", "hunter2");
            System.setProperty("weir.security.secret", "hunter3");
            assertThat(weir("info")).isEqualTo(1);
        } finally {
            System.clearProperty("weir.security.secret");
            System.clearProperty("weir.security.require");
        }
        assertThat(out.toString()).contains("weir.security.secret=(not shown)").doesNotContain("hunter2");
        assertThat(err.toString()).contains("weir.security.").doesNotContain("hunter3");
    }
}
