package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The pool is all lent. A thread of the receiver releases it, while one of the sender wants a block. */
@JCStressTest
@State
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "There was no block yet.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The block was there again.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A block came back twice or never, or the pool lacks its memory.")
public class BlockIsTakenAgain {

    private static final int ALL = SegmentLayout.MIN_POOL;

    private final Ring ring = Ring.any();
    private final ByteBuf body;
    private BlockPool.@Nullable Block taken;

    public BlockIsTakenAgain() {
        ring.write(ring.blockFrame(ALL));
        ring.writer.publish();
        body = ring.readBlock();
    }

    @Actor
    public void user() {
        body.release();
    }

    @Actor
    public void sender(II_Result result) {
        taken = ring.pool.take(ALL);
        result.r1 = taken == null ? 0 : 1;
    }

    @Arbiter
    public void afterwards(II_Result result) {
        int back = ring.takeBack(2);
        BlockPool.Block block = taken;
        if (block != null) {
            block.end();
        }
        result.r2 = back == 1 - result.r1 && ring.poolIsWhole() ? 1 : 0;
        ring.over();
    }
}
