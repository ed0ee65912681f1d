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
 * Three records that are published one after the other, the second one behind the end of the ring, while the receiver
 * reads.
 */
@JCStressTest
@State
@Outcome(id = "0, 3", expect = Expect.ACCEPTABLE, desc = "Nothing was there yet; all came later.")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "The first one was there, whole; the others came later.")
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "Two were there, whole and in order; the last one came later.")
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "All three were there, whole and in order.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A torn record, one out of order, or one that is lost.")
public class RecordsOneByOne {

    private final Ring ring = Ring.at(Ring.SIZE - RecordLayout.LINE);
    private final Frame first = ring.frame();
    private final Frame second = ring.frame();
    private final Frame third = ring.frame();

    @Actor
    public void sender() {
        ring.write(first);
        ring.writer.publish();
        ring.write(second);
        ring.writer.publish();
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
