package io.weir.tck;

import io.weir.core.Loop;
import io.weir.core.Waiting;
import org.junit.jupiter.api.Assumptions;

/** The loop of these tests fulfils the contract, as far as it knows a kind of waiting at all. */
class TestLoopTest implements LoopContract {

    @Override
    public Loop newLoop(String name, Waiting waiting) {
        Assumptions.assumeTrue(waiting != Waiting.LATENCY, "a test loop always sleeps");
        return new TestLoop(name);
    }
}
