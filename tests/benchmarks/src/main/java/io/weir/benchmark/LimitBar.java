package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * What Weir may use at most, whatever others do.
 *
 * @param what in words
 * @param weir the entrant of ours
 * @param figure what is limited
 * @param limit at most, in the figure's unit
 * @param told the figure in words
 */
record LimitBar(
        String what,
        String weir,
        Cell cell,
        ToDoubleFunction<Standing> figure,
        double limit,
        DoubleFunction<String> told)
        implements Bar {

    @Override
    public Judgement judge(Standings standings) {
        String goal = "<= " + told.apply(limit);
        Standing ours = standings.best(weir, cell).orElse(null);
        if (ours == null) {
            return new Judgement(what, weir, cell.sizeLabel(), goal, "-", "", null, false, Verdict.NOT_MEASURED);
        }
        double used = figure.applyAsDouble(ours);
        return new Judgement(
                what,
                weir,
                cell.sizeLabel(),
                goal,
                told.apply(used),
                "",
                used / limit,
                ours.sound(),
                Verdict.of(used / limit));
    }
}
