package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PigeonTransport;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.Transport;
import io.weir.path.PathSelector.Candidate;
import io.weir.path.PathSelector.Rejected;
import io.weir.path.PathSelector.Selection;
import io.weir.path.PathSelector.Try;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PathSelectorTest {

    private static final PeerId HERE = new PeerId(new UUID(0x0a0b0c0d_0000_0000L, 1), "till", 1);
    private static final PeerId THERE = new PeerId(new UUID(0x1a2b3c4d_0000_0000L, 2), "billing", 1);

    /** Both sides of one row: three paths, all of which fly like pigeons, unless the row says otherwise. */
    private static final class Row {

        private PathPolicy mine = new PathPolicy(List.of("a", "b", "c"), Map.of());
        private final Map<String, PathSwitch> theirs = new HashMap<>();
        private final Map<String, String> ready = new HashMap<>(Map.of("a", "", "b", "", "c", ""));
        private final Map<String, String> missing = new HashMap<>();
        private final Map<String, String> readyThere = new HashMap<>(ready);
        private final Map<String, String> missingThere = new HashMap<>();
        private final List<String> withoutAdapter = new ArrayList<>();
        private String hostThere = "db";
        private String bootThere = "boot";

        Row order(String... order) {
            mine = new PathPolicy(List.of(order), mine.switches());
            return this;
        }

        Row here(String path, PathSwitch set) {
            mine = mine.and(new PathPolicy(List.of(), Map.of(path, set)));
            return this;
        }

        Row there(String path, PathSwitch set) {
            theirs.put(path, set);
            return this;
        }

        Row missingHere(String path, String reason) {
            ready.remove(path);
            missing.put(path, reason);
            return this;
        }

        Row missingThere(String path, String reason) {
            readyThere.remove(path);
            missingThere.put(path, reason);
            return this;
        }

        Row unknownThere(String path) {
            readyThere.remove(path);
            return this;
        }

        Row notPrepared(String path) {
            ready.remove(path);
            return this;
        }

        Row noAdapter(String... paths) {
            withoutAdapter.addAll(List.of(paths));
            ready.keySet().removeAll(List.of(paths));
            return this;
        }

        Row otherHost() {
            bootThere = "other boot";
            return this;
        }

        Row unreadable() {
            hostThere = "unreadable";
            return this;
        }

        Selection select() {
            Transport pigeons = new PigeonTransport();
            return PathSelector.select(
                    mine,
                    new PeerCard(HERE, "boot", 1000, "p1", "till", 1, ready, missing),
                    new PeerCard(THERE, bootThere, 1000, "p2", hostThere, 2, readyThere, missingThere),
                    theirs,
                    path -> withoutAdapter.contains(path) ? null : pigeons);
        }
    }

    private static Arguments row(String what, Row row, String... expected) {
        return Arguments.of(what, row, Arrays.asList(expected));
    }

    static Stream<Arguments> rows() {
        return Stream.of(
                row("all are tried in the order", new Row(), "a", "b", "c"),
                row("the order of this side rules", new Row().order("c", "a", "b"), "c", "a", "b"),
                row("off here", new Row().here("a", PathSwitch.OFF), "a: switched off here", "b", "c"),
                row(
                        "off at the peer",
                        new Row().there("b", PathSwitch.OFF),
                        "a",
                        "b: switched off at billing-1a2b3c4d",
                        "c"),
                row(
                        "off on both sides",
                        new Row().here("b", PathSwitch.OFF).there("b", PathSwitch.OFF),
                        "a",
                        "b: switched off here",
                        "c"),
                row("on at the peer changes nothing", new Row().there("b", PathSwitch.ON), "a", "b", "c"),
                row("no adapter", new Row().noAdapter("a"), "a: no adapter for a is on the class path", "b", "c"),
                row(
                        "missing here",
                        new Row().missingHere("a", "libgm.so was not found"),
                        "a: missing here: libgm.so was not found",
                        "b",
                        "c"),
                row(
                        "missing there",
                        new Row().missingThere("a", "no device"),
                        "a: missing at billing-1a2b3c4d: no device",
                        "b",
                        "c"),
                row(
                        "missing on both sides",
                        new Row().missingHere("a", "no device").missingThere("a", "no driver"),
                        "a: missing here: no device",
                        "b",
                        "c"),
                row(
                        "the peer does not know it",
                        new Row().unknownThere("a"),
                        "a: missing at billing-1a2b3c4d: it does not know this path",
                        "b",
                        "c"),
                row("not prepared", new Row().notPrepared("a"), "a: missing here: it was not prepared", "b", "c"),
                row(
                        "the adapter says no",
                        new Row().order("a").otherHost(),
                        "a: other host: no pigeon flies there",
                        "b: not in the order of paths here",
                        "c: not in the order of paths here",
                        "! no path leads to billing-1a2b3c4d: a: other host: no pigeon flies there;"
                                + " b: not in the order of paths here; c: not in the order of paths here"),
                row(
                        "the adapter can't read the card",
                        new Row().order("a").notPrepared("b").notPrepared("c").unreadable(),
                        "a: the adapter can't read the card of billing-1a2b3c4d"
                                + " (java.lang.IllegalArgumentException: no such roof)",
                        "! no path leads to billing-1a2b3c4d: a: the adapter can't read the card of billing-1a2b3c4d"
                                + " (java.lang.IllegalArgumentException: no such roof)"),
                row("not in the order", new Row().order("c", "a"), "c", "a", "b: not in the order of paths here"),
                row(
                        "what is measured is not in order yet",
                        new Row().order("measured", "c", "a"),
                        "c",
                        "a",
                        "b: not in the order of paths here"),
                row(
                        "nothing is measured behind a required path",
                        new Row().order("measured", "a", "b", "c").here("b", PathSwitch.REQUIRED),
                        "a",
                        "b",
                        "c: stands behind b, which is required"),
                row(
                        "what is required must be worth measuring",
                        new Row()
                                .order("measured", "a", "b")
                                .there("b", PathSwitch.REQUIRED)
                                .missingHere("b", "no device")
                                .notPrepared("c"),
                        "a",
                        "b: missing here: no device",
                        "! b to billing-1a2b3c4d is required (there) and can't be used: missing here: no device;"
                                + " mend that, or set weir.transport.b=on"),
                row(
                        "nothing is tried behind a required path",
                        new Row().here("b", PathSwitch.REQUIRED),
                        "a",
                        "b",
                        "c: stands behind b, which is required"),
                row(
                        "what is impossible behind a required path keeps its own reason",
                        new Row().here("a", PathSwitch.REQUIRED).here("c", PathSwitch.OFF),
                        "a",
                        "b: stands behind a, which is required",
                        "c: switched off here"),
                row(
                        "required at the peer",
                        new Row().there("b", PathSwitch.REQUIRED),
                        "a",
                        "b",
                        "c: stands behind b, which is required"),
                row(
                        "the first of two required paths decides",
                        new Row()
                                .here("a", PathSwitch.REQUIRED)
                                .here("b", PathSwitch.REQUIRED)
                                .missingHere("b", "no device"),
                        "a",
                        "b: missing here: no device",
                        "c: stands behind a, which is required"),
                row(
                        "required and missing here",
                        new Row().here("b", PathSwitch.REQUIRED).missingHere("b", "no device"),
                        "a",
                        "b: missing here: no device",
                        "c: stands behind b, which is required",
                        "! b to billing-1a2b3c4d is required (here) and can't be used: missing here: no device;"
                                + " mend that, or set weir.transport.b=on"),
                row(
                        "required here and off there",
                        new Row().here("b", PathSwitch.REQUIRED).there("b", PathSwitch.OFF),
                        "a",
                        "b: switched off at billing-1a2b3c4d",
                        "c: stands behind b, which is required",
                        "! b to billing-1a2b3c4d is required (here) and can't be used:"
                                + " switched off at billing-1a2b3c4d; mend that, or set weir.transport.b=on"),
                row(
                        "required there and not in the order here",
                        new Row().order("a").notPrepared("b").there("b", PathSwitch.REQUIRED),
                        "a",
                        "b: not in the order of paths here",
                        "c: not in the order of paths here",
                        "! b to billing-1a2b3c4d is required (there) and can't be used: not in the order of paths here;"
                                + " mend that, or set weir.transport.b=on"),
                row(
                        "nothing works",
                        new Row()
                                .here("a", PathSwitch.OFF)
                                .missingThere("b", "no device")
                                .noAdapter("c"),
                        "a: switched off here",
                        "b: missing at billing-1a2b3c4d: no device",
                        "c: no adapter for c is on the class path",
                        "! no path leads to billing-1a2b3c4d: a: switched off here;"
                                + " b: missing at billing-1a2b3c4d: no device;"
                                + " c: no adapter for c is on the class path"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void selects(String what, Row row, List<String> expected) {
        Selection selection = row.select();
        List<String> told =
                selection.candidates().stream().map(PathSelectorTest::text).collect(Collectors.toList());
        if (selection.refusal() != null) {
            told.add("! " + selection.refusal());
        }
        assertThat(told).isEqualTo(expected);
    }

    private static String text(Candidate candidate) {
        return candidate.path() + (candidate instanceof Rejected rejected ? ": " + rejected.reason() : "");
    }

    @Test
    void triesAreThePathsWithoutAReason() {
        assertThat(new Row().here("b", PathSwitch.OFF).select().tries()).containsExactly("a", "c");
    }

    @Test
    void triesMayBePutInAnotherOrder() {
        Selection selection = new Row()
                .order("measured", "a", "b", "c")
                .here("b", PathSwitch.OFF)
                .select()
                .inOrder(List.of("c", "a"));
        assertThat(selection.tries()).containsExactly("c", "a");
        assertThat(selection.candidates())
                .containsExactly(new Try("c"), new Try("a"), new Rejected("b", "switched off here"));
        assertThat(selection.refusal()).isNull();
    }

    @Test
    void nothingIsTriedWhenTheConnectionIsRefused() {
        Selection selection = new Row()
                .here("b", PathSwitch.REQUIRED)
                .missingHere("b", "no device")
                .select();
        assertThat(selection.candidates()).first().isEqualTo(new Try("a"));
        assertThat(selection.tries()).isEmpty();
    }

    @Test
    void whatThePeerSaysCantForgeALogLine() {
        Selection selection = new Row()
                .here("a", PathSwitch.REQUIRED)
                .missingThere("a", "no\r\n2026-01-01 INFO all is well\u001b[2J" + "x".repeat(10_000))
                .select();
        assertThat(selection.refusal())
                .contains("missing at billing-1a2b3c4d: no??2026-01-01 INFO all is well?[2J")
                .hasSizeLessThan(1_000);
    }

    @Test
    void bothSidesNeedNotAgreeOnTheirOrderToAgreeOnTheTries() {
        // The connecting side's order rules, so the other side never selects; yet what it would find ready is the same.
        Row row = new Row().missingThere("a", "no device").here("c", PathSwitch.OFF);
        assertThat(row.select().tries()).containsExactly("b");
        assertThat(row.order("c", "b", "a").select().tries()).containsExactly("b");
    }
}
