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
 * The ring is full: the sender falls asleep and looks once more, while the receiver tells what it has read and asks
 * whether somebody waits.
 */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Asleep, and the receiver wakes it.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The sender has seen the room, and nobody rings.")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The sender has seen the room, and is woken for nothing.")
@Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "Asleep with room there, and nobody wakes it.")
public class SenderAwaitsRoom {

    private final Ring there = Ring.at(0);
    private final Ring back = Ring.any();
    private final Frame refused;

    public SenderAwaitsRoom() {
        there.write(there.frame());
        there.write(there.frame());
        there.fillUp();
        refused = there.frame();
        if (there.frames.write(refused)) {
            throw new IllegalStateException("the ring is not full");
        }
        if (there.read(2) != 2) {
            throw new IllegalStateException("the records are not there");
        }
    }

    @Actor
    public void sender(II_Result result) {
        ShmLink.sayAsleep(back.reader, there.writer, true);
        result.r1 = there.frames.wouldTake() ? 1 : 0;
    }

    /** What it returns is not asked: the sender's own ring has a flag too. */
    @Actor
    public void receiver() {
        there.reader.tell();
        boolean atOnce = ShmLink.mustWake(back.writer, there.reader);
        boolean later = ShmLink.mustWakeBehindFence(back.writer, there.reader);
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = there.reader.senderWaits() ? 1 : 0;
        there.write(refused);
        there.writer.publish();
        if (there.readAll() != 1) {
            result.r2 = -1;
        }
        there.over();
        back.over();
    }
}
