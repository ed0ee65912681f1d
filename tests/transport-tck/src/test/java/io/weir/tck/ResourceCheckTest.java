package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** What tests leave behind, and who is said to have done it. The nested classes are run by the launcher below only. */
class ResourceCheckTest {

    private static ByteBuf shared = Unpooled.EMPTY_BUFFER;

    @ExtendWith(ResourceCheck.class)
    static final class Clean {

        @Test
        void releases() {
            shared = Unpooled.directBuffer(8);
            shared.release();
            shared = Unpooled.EMPTY_BUFFER;
        }
    }

    @ExtendWith(ResourceCheck.class)
    static final class Dropping {

        @Test
        void drops() {
            shared = Unpooled.directBuffer(8);
            shared = Unpooled.EMPTY_BUFFER;
        }

        @Test
        void hasNothingToDoWithIt() {}
    }

    @ExtendWith(ResourceCheck.class)
    static final class DroppingWhatIsShared {

        @BeforeAll
        static void make() {
            shared = Unpooled.directBuffer(8);
        }

        @Test
        void drops() {
            shared = Unpooled.EMPTY_BUFFER;
        }
    }

    @ExtendWith(ResourceCheck.class)
    static final class LateButComplete {

        @Test
        void releasesAMomentLater() {
            ByteBuf late = Unpooled.directBuffer(8);
            Thread loop = new Thread(late::release, "parallel-1");
            loop.start();
        }
    }

    @AfterEach
    void forget() {
        shared = Unpooled.EMPTY_BUFFER;
        LeakWatch.forget();
    }

    @Test
    void whoReleasesAllPasses() {
        assertThat(failedIn(Clean.class)).isEmpty();
    }

    @Test
    void whoDropsABufferFails() {
        assertThat(failedIn(Dropping.class)).containsExactly("drops()");
    }

    @Test
    void aBufferOfAWholeClassThatIsDroppedFailsTheClass() {
        assertThat(failedIn(DroppingWhatIsShared.class)).containsExactly("ResourceCheckTest$DroppingWhatIsShared");
    }

    @Test
    void whatALoopReleasesAMomentLaterIsNotDropped() {
        assertThat(failedIn(LateButComplete.class)).isEmpty();
    }

    @Test
    void aDetectorThatIsSwitchedOffIsAFailure() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            assertThatThrownBy(LeakWatch::failOnLeaks).hasMessageContaining("leak detector does not watch");
        } finally {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        }
    }

    private static List<String> failedIn(Class<?> tests) {
        List<String> failed = new ArrayList<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(tests))
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
                                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    failed.add(identifier.getDisplayName());
                                }
                            }
                        });
        return failed;
    }
}
