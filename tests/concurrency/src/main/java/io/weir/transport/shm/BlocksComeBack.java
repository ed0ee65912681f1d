package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread of the receiver releases two blocks while the sender takes back what it finds. */
@JCStressTest
@State
@Outcome(id = "0, 2, 1", expect = Expect.ACCEPTABLE, desc = "Both came back later.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "One came back at once, the other one later.")
@Outcome(id = "2, 0, 1", expect = Expect.ACCEPTABLE, desc = "Both came back at once.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A block came back twice or never, or the pool lacks its memory.")
public class BlocksComeBack {

    private final Ring ring = Ring.any();
    private final ByteBuf first;
    private final ByteBuf second;

    public BlocksComeBack() {
        ring.write(ring.blockFrame());
        ring.write(ring.blockFrame());
        ring.writer.publish();
        first = ring.readBlock();
        second = ring.readBlock();
    }

    @Actor
    public void user() {
        // In the other order than they came.
        second.release();
        first.release();
    }

    @Actor
    public void sender(III_Result result) {
        result.r1 = ring.takeBack(3);
    }

    @Arbiter
    public void afterwards(III_Result result) {
        result.r2 = ring.takeBack(3);
        result.r3 = ring.poolIsWhole() ? 1 : 0;
        ring.over();
    }
}
