package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerId;
import io.weir.path.PathSelector.Rejected;
import io.weir.path.PathSelector.Selection;
import io.weir.path.PathSelector.Try;
import io.weir.peer.PathDecision;
import io.weir.peer.PathDecision.Attempt;
import io.weir.peer.PathDecision.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PathDecisionTest {

    private static final PeerId BILLING = new PeerId(new UUID(0x1a2b3c4d_0000_0000L, 2), "billing", 1);
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private static DecisionRecorder recorder() {
        return new DecisionRecorder(new Selection(
                List.of(
                        new Rejected("local", "other process"),
                        new Try("shm"),
                        new Rejected("verbs", "no adapter for verbs is on the class path"),
                        new Try("gm"),
                        new Try("tcp")),
                null));
    }

    private static Duration us(long micros) {
        return Duration.ofNanos(micros * 1_000);
    }

    @Test
    void keepsEveryCandidateInTheOrder() {
        DecisionRecorder recorder = recorder();
        recorder.failed("shm", "the segment could not be mapped", Duration.ofMillis(3));
        recorder.chosen("gm", us(12), Duration.ofMillis(20));
        PathDecision decision = recorder.build(BILLING, NOW);
        assertThat(decision.attempts())
                .containsExactly(
                        new Attempt("local", Outcome.REJECTED, "other process", Duration.ZERO, null),
                        new Attempt(
                                "shm", Outcome.FAILED, "the segment could not be mapped", Duration.ofMillis(3), null),
                        new Attempt(
                                "verbs",
                                Outcome.REJECTED,
                                "no adapter for verbs is on the class path",
                                Duration.ZERO,
                                null),
                        new Attempt("gm", Outcome.CHOSEN, "", Duration.ofMillis(20), us(12)),
                        new Attempt("tcp", Outcome.NOT_TRIED, "gm was chosen before it", Duration.ZERO, null));
        assertThat(decision.chosen()).map(Attempt::path).contains("gm");
        assertThat(decision.peer()).isEqualTo(BILLING);
        assertThat(decision.when()).isEqualTo(NOW);
        assertThat(decision.warnings()).isEmpty();
    }

    @Test
    void tellsTheWholeStoryInOneLine() {
        DecisionRecorder recorder = recorder();
        recorder.failed("shm", "the segment could not be mapped", Duration.ofMillis(3));
        recorder.chosen("gm", Duration.ofNanos(1_234), Duration.ofMillis(20));
        assertThat(recorder.build(BILLING, NOW).line())
                .isEqualTo("billing-1a2b3c4d over gm (round trip 1.2 us); local: other process;"
                        + " shm: failed after 3 ms: the segment could not be mapped;"
                        + " verbs: no adapter for verbs is on the class path");
    }

    @Test
    void tellsThatNothingWorked() {
        DecisionRecorder recorder = recorder();
        recorder.failed("shm", "no memory", Duration.ofMillis(3));
        recorder.failed("gm", "no answer", Duration.ofSeconds(2));
        PathDecision decision = recorder.build(BILLING, NOW);
        assertThat(decision.chosen()).isEmpty();
        assertThat(decision.warnings()).isEmpty();
        assertThat(decision.line())
                .isEqualTo("billing-1a2b3c4d: no path; local: other process; shm: failed after 3 ms: no memory;"
                        + " verbs: no adapter for verbs is on the class path; gm: failed after 2 s: no answer");
        assertThat(decision.attempts())
                .last()
                .isEqualTo(new Attempt(
                        "tcp", Outcome.NOT_TRIED, "the connection ended before its turn", Duration.ZERO, null));
    }

    @Test
    void warnsOfWhatTheChosenLinkIsBetterKnownFor() {
        PathDecision decision = new PathDecision(
                BILLING,
                List.of(
                        new Attempt("p4sock", Outcome.CHOSEN, "", Duration.ofMillis(20), null),
                        new Attempt("tcp", Outcome.NOT_TRIED, "", Duration.ZERO, us(12))),
                NOW,
                "",
                "its frames\nare short");
        assertThat(decision.warnings()).containsExactly("p4sock: its frames?are short");
        assertThat(decision.toString()).endsWith("\n  warning: p4sock: its frames?are short");
        assertThat(new PathDecision(BILLING, List.of(), NOW, "", "its frames are short").warnings())
                .isEmpty();
    }

    @Test
    void warnsOfAPathThatStandsLowerAndAnsweredFaster() {
        DecisionRecorder recorder = recorder();
        recorder.measured("tcp", us(18));
        recorder.chosen("shm", us(45), Duration.ofMillis(1));
        assertThat(recorder.build(BILLING, NOW).warnings())
                .containsExactly("tcp answered in 18 us, shm in 45 us, though shm stands before it");
    }

    @Test
    void doesNotWarnOfWhatStandsHigherOrIsHardlyFaster() {
        DecisionRecorder recorder = recorder();
        recorder.chosen("gm", us(20), Duration.ofMillis(1));
        recorder.measured("shm", us(1));
        recorder.measured("tcp", us(19));
        assertThat(recorder.build(BILLING, NOW).warnings()).isEmpty();
    }

    @Test
    void aMeasurementStaysWhateverBecomesOfThePath() {
        DecisionRecorder recorder = recorder();
        recorder.measured("shm", us(2));
        recorder.failed("shm", "the peer could not open it", Duration.ofMillis(1));
        assertThat(recorder.build(BILLING, NOW).attempts().get(1).roundTrip()).isEqualTo(us(2));
    }

    @Test
    void theAcceptingSideLearnsOfPathsAsTheyAreProposed() {
        DecisionRecorder recorder = new DecisionRecorder();
        recorder.measured("tcp", us(18));
        recorder.failed("shm", "no memory", Duration.ofMillis(1));
        recorder.chosen("tcp", us(17), Duration.ofMillis(1));
        assertThat(recorder.build(BILLING, NOW).line())
                .isEqualTo("billing-1a2b3c4d over tcp (round trip 17 us); shm: failed after 1 ms: no memory");
    }

    private static PathDecision surveyed(DecisionRecorder recorder) {
        recorder.surveyed("tcp", us(18), Duration.ofMillis(2));
        recorder.failed("shm", "did not open", Duration.ofSeconds(2));
        recorder.surveyed("gm", us(12), Duration.ofMillis(1));
        recorder.inOrder(new Selection(
                List.of(
                        new Try("gm"),
                        new Try("tcp"),
                        new Try("shm"),
                        new Rejected("local", "other process"),
                        new Rejected("verbs", "no adapter for verbs is on the class path")),
                null));
        // The second look has found a loaded machine.
        recorder.chosen("gm", us(30), Duration.ofMillis(3));
        return recorder.build(BILLING, NOW);
    }

    @Test
    void tellsWhatWasMeasuredAndThatTheChosenPathWasFaster() {
        PathDecision decision = surveyed(recorder());
        assertThat(decision.warnings()).isEmpty();
        assertThat(decision).hasToString("""
                        billing-1a2b3c4d over gm (round trip 12 us), decided 2026-01-02T03:04:05Z
                          path   outcome   took  round trip  reason
                          gm     chosen    3 ms  12 us
                          tcp    measured  2 ms  18 us       gm answered faster
                          shm    failed    2 s   -           did not open
                          local  rejected  -     -           other process
                          verbs  rejected  -     -           no adapter for verbs is on the class path""");
        assertThat(decision.line())
                .isEqualTo("billing-1a2b3c4d over gm (round trip 12 us); tcp (round trip 18 us): gm answered faster;"
                        + " shm: failed after 2 s: did not open; local: other process;"
                        + " verbs: no adapter for verbs is on the class path");
    }

    @Test
    void theAcceptingSideTellsOfWhatWasOnlyMeasuredInItsTable() {
        DecisionRecorder recorder = new DecisionRecorder();
        recorder.failed("tcp", "the new link broke", Duration.ofMillis(1));
        recorder.surveyed("tcp", null, Duration.ofMillis(1));
        recorder.chosen("shm", null, Duration.ofMillis(1));
        PathDecision decision = recorder.build(BILLING, NOW);
        assertThat(decision.line()).isEqualTo("billing-1a2b3c4d over shm");
        assertThat(decision.attempts())
                .first()
                .isEqualTo(
                        new Attempt("tcp", Outcome.MEASURED, "shm was chosen before it", Duration.ofMillis(1), null));
    }

    @Test
    void printsATableForPeople() {
        DecisionRecorder recorder = recorder();
        recorder.measured("tcp", us(18));
        recorder.chosen("shm", us(45), Duration.ofMillis(3));
        assertThat(recorder.build(BILLING, NOW)).hasToString("""
                        billing-1a2b3c4d over shm (round trip 45 us), decided 2026-01-02T03:04:05Z
                          path   outcome    took  round trip  reason
                          local  rejected   -     -           other process
                          shm    chosen     3 ms  45 us
                          verbs  rejected   -     -           no adapter for verbs is on the class path
                          gm     not tried  -     -           shm was chosen before it
                          tcp    not tried  -     18 us       shm was chosen before it
                          warning: tcp answered in 18 us, shm in 45 us, though shm stands before it""");
    }

    @Test
    void whatAPeerSaysStaysOnItsLine() {
        DecisionRecorder recorder = new DecisionRecorder();
        recorder.failed("shm", "a\nb\u001b[31m\u202ec" + "y".repeat(1_000), Duration.ofMillis(1));
        PathDecision decision = recorder.build(new PeerId(new UUID(1, 2), "evil\nname", 1), NOW);
        assertThat(decision.line())
                .startsWith("evil?name-00000000: no path; shm: failed after 1 ms: a?b?[31m?cyyy")
                .endsWith("y...")
                .hasSizeLessThan(600)
                .doesNotContain("\n");
    }

    @Test
    void isAValue() {
        PathDecision one = recorder().build(BILLING, NOW);
        assertThat(one)
                .isEqualTo(recorder().build(BILLING, NOW))
                .hasSameHashCodeAs(recorder().build(BILLING, NOW));
    }
}
