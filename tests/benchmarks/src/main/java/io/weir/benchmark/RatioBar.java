package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Child;

/**
 * How fast Weir wants to be: not slower than a peer by more than a factor, in the same run.
 *
 * @param what in words
 * @param weir the entrant of ours
 * @param peer whom it is compared with
 * @param peerCell the peer's cell, which may be another scenario
 * @param factor where round trips are timed, ours may be so many times the peer's at most; else at least
 * @param farFactor the same where the processors are far apart: there it is the lines between them that take the time
 * @param overRing whether both are related to the ring measured just before each, which is right for what runs between
 *     two spinning processors; where the kernel does the work, the medians themselves are compared
 */
record RatioBar(
        String what,
        String weir,
        Cell cell,
        String peer,
        Cell peerCell,
        double factor,
        double farFactor,
        boolean overRing)
        implements Bar {

    /** A bar that is the same near and far. */
    RatioBar(String what, String weir, Cell cell, String peer, Cell peerCell, double factor, boolean overRing) {
        this(what, weir, cell, peer, peerCell, factor, factor, overRing);
    }

    @Override
    public Judgement judge(Standings standings) {
        Standing ours = standings.best(weir, cell).orElse(null);
        Standing theirs = standings.best(peer, peerCell).orElse(null);
        if (ours == null || theirs == null) {
            return new Judgement(
                    what, weir, cell.sizeLabel(), goal(Stretch.NEAR), "-", "-", null, false, Verdict.NOT_MEASURED);
        }
        double ratio = overRing ? ours.overRing() / theirs.overRing() : ours.value() / theirs.value();
        return new Judgement(
                what,
                weir,
                cell.sizeLabel(),
                goal(ours.stretch()),
                told(ours),
                told(theirs),
                ratio,
                ours.sound() && theirs.sound(),
                verdict(ratio, ours.stretch()));
    }

    Verdict verdict(double ratio, Stretch stretch) {
        double bar = bar(stretch);
        return Verdict.of(lowerIsBetter() ? ratio / bar : bar / ratio);
    }

    private double bar(Stretch stretch) {
        return stretch == Stretch.FAR ? farFactor : factor;
    }

    private boolean lowerIsBetter() {
        return cell.scenario().timesRoundTrips();
    }

    private static String told(Standing one) {
        String value = Figures.value(one.cell(), one.value());
        return one.variant().equals(Child.ONLY_VARIANT) ? value : value + " (" + one.variant() + ')';
    }

    /** For instance {@code <= 1.25 x aeron}, with {@code , far} behind it where near is another bar. */
    private String goal(Stretch stretch) {
        return (lowerIsBetter() ? "<= " : ">= ") + Figures.ratio(bar(stretch)) + " x " + peer
                + (peerCell.scenario() == cell.scenario() ? "" : " " + peerCell.scenario())
                + (peerCell.size() == cell.size() ? "" : " " + peerCell.sizeLabel())
                + (factor == farFactor ? "" : ", " + stretch.label());
    }
}
