package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The sender falls asleep and looks once more for what comes back, while a thread of the receiver releases a block. */
@JCStressTest
@State
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Asleep, and the receiver wakes it.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The sender has the block again, and nobody rings.")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The sender has the block again, and is woken for nothing.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Asleep with a block there and nobody wakes it, or the block is lost.")
public class SenderAwaitsBlock {

    private final Ring there = Ring.any();
    private final Ring back = Ring.any();
    private final ByteBuf body;

    public SenderAwaitsBlock() {
        there.write(there.blockFrame());
        there.writer.publish();
        body = there.readBlock();
    }

    @Actor
    public void sender(II_Result result) {
        ShmLink.sayAsleep(back.reader, there.writer, true);
        result.r1 = there.takeBack(1);
    }

    @Actor
    public void user() {
        body.release();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r2 = there.reader.senderWaits() ? 1 : 0;
        if (result.r1 + there.takeBack(2) != 1 || !there.poolIsWhole()) {
            result.r2 = -1;
        }
        there.over();
        back.over();
    }
}
