package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;

/**
 * What something may add to a round trip, in the same run.
 *
 * @param what in words
 * @param weir the entrant of ours with it
 * @param plain the one without it
 * @param nanos at most
 */
record AddedBar(String what, String weir, Cell cell, String plain, double nanos) implements Bar {

    @Override
    public Judgement judge(Standings standings) {
        Standing ours = standings.best(weir, cell).orElse(null);
        Standing without = standings.best(plain, cell).orElse(null);
        String goal = "<= " + plain + " + " + Figures.micros(nanos);
        if (ours == null || without == null) {
            return new Judgement(what, weir, cell.sizeLabel(), goal, "-", "-", null, false, Verdict.NOT_MEASURED);
        }
        double ratio = ours.value() / (without.value() + nanos);
        return new Judgement(
                what,
                weir,
                cell.sizeLabel(),
                goal,
                Figures.micros(ours.value()),
                Figures.micros(without.value()),
                ratio,
                ours.sound() && without.sound(),
                Verdict.of(ratio));
    }
}
