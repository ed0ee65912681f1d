package io.weir.tck;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.opentest4j.TestAbortedException;

/** All that {@link io.weir.core.Link} promises, tested from both sides. Implement {@link #open} and that is all. */
@ExtendWith({ResourceCheck.class, Seed.class})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
public interface LinkContract
        extends DeliveryContract,
                LendingContract,
                FullLinkContract,
                MemoryContract,
                EndingContract,
                HandBackContract,
                WakingContract {

    @Override
    LinkPair open() throws Exception;

    /**
     * Opens and closes a pair, so that what is loaded and opened once for all isn't taken for a leak of the first test.
     */
    @BeforeAll
    default void openOnce() throws Exception {
        try {
            open().close();
        } catch (TestAbortedException e) {
            // Missing here, as each test will say for itself.
        }
    }
}
