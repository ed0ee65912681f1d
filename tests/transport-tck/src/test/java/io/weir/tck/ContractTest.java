package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The tests of the contract notice a link that breaks it. */
@Tag("whole")
class ContractTest {

    private static Sabotage way;

    /** Run by the launcher below only: its name is none that a build looks for. */
    static final class Sabotaged implements LinkContract {

        @Override
        public LinkPair open() {
            TestLoop first = new TestLoop("first");
            TestLoop second = new TestLoop("second");
            FaultyLink.Pair pair = FaultyLink.pair(first, second);
            return new LinkPair(
                    way.on(pair.first(), pair.second()), first, way.on(pair.second(), pair.first()), second, () -> {
                        first.end(Duration.ofSeconds(10));
                        second.end(Duration.ofSeconds(10));
                    });
        }
    }

    @BeforeEach
    void waitOnlyShortly() {
        Await.impatient(Duration.ofSeconds(2));
    }

    @AfterEach
    void waitLong() {
        Await.patient();
        LeakWatch.forget();
    }

    @ParameterizedTest
    @EnumSource(Sabotage.class)
    void noticesSabotage(Sabotage sabotage) {
        way = sabotage;
        Class<?>[] parameters = Arrays.stream(Sabotaged.class.getMethods())
                .filter(method -> method.getName().equals(sabotage.noticedBy))
                .findFirst()
                .orElseThrow()
                .getParameterTypes();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectMethod(Sabotaged.class, sabotage.noticedBy, parameters))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getTestsFoundCount()).isPositive();
        assertThat(summary.getTestsFailedCount())
                .as("failures of %s with a link that %s", sabotage.noticedBy, sabotage)
                .isPositive();
    }
}
