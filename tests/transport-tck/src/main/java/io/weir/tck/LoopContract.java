package io.weir.tck;

import io.weir.core.Loop;
import io.weir.core.Waiting;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;

/** All that {@link Loop} promises. Implement {@link #newLoop} and that is all. */
@ExtendWith({ResourceCheck.class, Seed.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
public interface LoopContract extends TaskContract, PollContract, WatchContract {

    @Override
    Loop newLoop(String name, Waiting waiting);

    @BeforeAll
    default void openOnce() throws Exception {
        try {
            with(Waiting.BALANCED, loop -> Loops.on(loop, () -> {}));
        } catch (TestAbortedException e) {
            // Missing here, as each test will say for itself.
        }
    }
}
