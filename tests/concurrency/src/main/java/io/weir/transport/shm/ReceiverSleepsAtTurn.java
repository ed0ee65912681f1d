package io.weir.transport.shm;

import io.weir.core.Frame;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The receiver falls asleep and looks once more, while the sender writes the first record of a turn, which is visible at
 * once, and asks at the turn's end whether somebody sleeps.
 */
@JCStressTest
@State
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "Asleep, and the sender wakes it.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The receiver has seen the record, and nobody rings.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The receiver has seen the record, and is woken for nothing.")
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Asleep with a record there, and nobody wakes it.")
public class ReceiverSleepsAtTurn {

    private final Ring there = Ring.atTurn();
    private final Ring back = Ring.any();
    private final Frame frame = there.frame();

    @Actor
    public void sender(II_Result result) {
        there.write(frame);
        there.writer.publishLast();
        boolean atOnce = ShmLink.mustWake(there.writer, back.reader);
        boolean later = ShmLink.mustWakeBehindFence(there.writer, back.reader);
        result.r1 = atOnce || later ? 1 : 0;
    }

    @Actor
    public void receiver(II_Result result) {
        ShmLink.sayAsleep(there.reader, back.writer, false);
        result.r2 = there.reader.hasNext() ? 1 : 0;
    }

    @Arbiter
    public void afterwards(II_Result result) {
        if (there.readAll() != 1) {
            result.r2 = -1;
        }
        there.over();
        back.over();
    }
}
