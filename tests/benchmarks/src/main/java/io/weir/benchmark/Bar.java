package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import org.jspecify.annotations.Nullable;

/**
 * How fast Weir wants to be: not slower than a peer by more than a factor, in the same run.
 *
 * @param what in words
 * @param weir the entrant of ours
 * @param peer whom it is compared with
 * @param peerCell the peer's cell, which may be another scenario
 * @param factor where round trips are timed, ours may be so many times the peer's at most; else at least
 * @param overRing whether both are related to the ring measured just before each, which is right for what runs between
 *     two spinning processors; where the kernel does the work, the medians themselves are compared
 */
record Bar(String what, String weir, Cell cell, String peer, Cell peerCell, double factor, boolean overRing) {

    enum Verdict {
        MET("met"),
        WITHIN_TWO("within a factor of two"),
        MISSED("missed"),
        NOT_MEASURED("not measured");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * A bar and what came of it.
     *
     * @param ours our value, null like all figures if one of the two was not measured
     * @param ratio ours over the peer's
     * @param sound whether both had rounds that count
     */
    record Result(
            Bar bar,
            @Nullable Double ours,
            @Nullable Double theirs,
            String theirVariant,
            @Nullable Double ratio,
            boolean sound,
            Verdict verdict) {}

    boolean lowerIsBetter() {
        return cell.scenario().timesRoundTrips();
    }

    Result judge(Standings standings) {
        Standing ours = standings.best(weir, cell).orElse(null);
        Standing theirs = standings.best(peer, peerCell).orElse(null);
        if (ours == null || theirs == null) {
            return new Result(this, null, null, "", null, false, Verdict.NOT_MEASURED);
        }
        double ratio = overRing ? ours.overRing() / theirs.overRing() : ours.value() / theirs.value();
        return new Result(
                this,
                ours.value(),
                theirs.value(),
                theirs.variant(),
                ratio,
                ours.sound() && theirs.sound(),
                verdict(ratio));
    }

    Verdict verdict(double ratio) {
        double shortfall = lowerIsBetter() ? ratio / factor : factor / ratio;
        if (shortfall <= 1) {
            return Verdict.MET;
        }
        return shortfall <= 2 ? Verdict.WITHIN_TWO : Verdict.MISSED;
    }

    /** For instance {@code <= 1.25 x aeron}. */
    String goal() {
        return (lowerIsBetter() ? "<= " : ">= ") + Figures.ratio(factor) + " x " + peer
                + (peerCell.scenario() == cell.scenario() ? "" : " " + peerCell.scenario());
    }
}
