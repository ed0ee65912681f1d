package io.weir.transport.shm;

import io.weir.core.Frame;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Three records of which the third one does not fit before the end of the ring: padding lies in front of it. */
@JCStressTest
@State
@Outcome(id = "0, 3", expect = Expect.ACCEPTABLE, desc = "Nothing was there yet; all came later.")
@Outcome(
        id = "3, 0",
        expect = Expect.ACCEPTABLE,
        desc = "All three were there, whole and in order, on both sides of the end.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the run, a torn record, or one that is lost.")
public class RecordsAroundTheEnd {

    private final Ring ring = Ring.at(Ring.SIZE - 2 * RecordLayout.LINE);
    private final Frame first = ring.frame();
    private final Frame second = ring.frame();
    private final Frame third = ring.frame();

    @Actor
    public void sender() {
        ring.write(first);
        ring.write(second);
        ring.write(third);
        ring.writer.publish();
    }

    @Actor
    public void receiver(II_Result result) {
        result.r1 = ring.readAll();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = ring.readAll();
        ring.over();
    }
}
