package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads of the receiver release a block each. */
@JCStressTest
@State
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "Both came back, and the pool has all its memory.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A block came back twice or never, or the pool lacks its memory.")
public class BlocksOfTwoThreads {

    private final Ring ring = Ring.any();
    private final ByteBuf first;
    private final ByteBuf second;

    public BlocksOfTwoThreads() {
        ring.write(ring.blockFrame());
        ring.write(ring.blockFrame());
        ring.writer.publish();
        first = ring.readBlock();
        second = ring.readBlock();
    }

    @Actor
    public void one() {
        first.release();
    }

    @Actor
    public void other() {
        second.release();
    }

    @Arbiter
    public void afterwards(II_Result result) {
        result.r1 = ring.takeBack(3);
        result.r2 = ring.poolIsWhole() ? 1 : 0;
        ring.over();
    }
}
