package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;

/**
 * What a call of an interface may take: the round trip of the bare channel, what the codec takes, and a little for
 * itself.
 *
 * @param call the cell of the calls
 * @param weir the entrant of ours
 * @param bare its cell of bare round trips
 * @param codec the cell in which the codec alone is measured
 */
record CallBar(Cell call, String weir, Cell bare, Cell codec) implements Bar {

    /** Finding the method, header and status, and two pipelines. */
    private static final double OWN_NANOS = 700;

    @Override
    public Judgement judge(Standings standings) {
        Standing ours = standings.best(weir, call).orElse(null);
        Standing way = standings.best(weir, bare).orElse(null);
        Standing codecs = standings.best("codec", codec).orElse(null);
        String goal = "<= bare + codec + " + Figures.micros(OWN_NANOS);
        if (ours == null || way == null || codecs == null) {
            return new Judgement("call", weir, call.sizeLabel(), goal, "-", "-", null, false, Verdict.NOT_MEASURED);
        }
        double allowed = way.value() + codecs.value() + OWN_NANOS;
        double ratio = ours.value() / allowed;
        return new Judgement(
                "call",
                weir,
                call.sizeLabel(),
                goal,
                Figures.micros(ours.value()),
                Figures.micros(way.value()) + " + " + Figures.micros(codecs.value()) + " + "
                        + Figures.micros(OWN_NANOS),
                ratio,
                ours.sound() && way.sound() && codecs.sound(),
                Verdict.of(ratio));
    }
}
