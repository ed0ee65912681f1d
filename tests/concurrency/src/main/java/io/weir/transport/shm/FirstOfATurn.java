package io.weir.transport.shm;

import io.weir.core.Frame;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A turn of three records, of which the first one is visible at once, while the receiver looks. */
@JCStressTest
@State
@Outcome(id = "0, 3", expect = Expect.ACCEPTABLE, desc = "Nothing was there yet; all came later.")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "The first one was there, whole; the others came later.")
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "All three were there, whole and in order.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the second run, a torn record, or one that is lost.")
public class FirstOfATurn {

    private final Ring ring = Ring.atTurn();
    private final Frame first = ring.frame();
    private final Frame second = ring.frame();
    private final Frame third = ring.frame();

    @Actor
    public void sender() {
        ring.write(first);
        ring.write(second);
        ring.write(third);
        ring.writer.publishLast();
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
