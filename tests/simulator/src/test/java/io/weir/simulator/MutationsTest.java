package io.weir.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The model has teeth: a link that does wrong is noticed. */
@Tag("one-jdk")
class MutationsTest {

    private static final int SEEDS = 300;

    /** How many of the schedules must notice it: what happens to a frame that nobody needs any more is not noticed. */
    private static final int NOTICED = 20;

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "HANDS_BACK_ALL_BUT_THE_LAST"})
    void aLinkThatDoesWrongIsNoticed(Mutation mutation) {
        assertThat(noticed(mutation, Promise.current())).isGreaterThan(NOTICED);
    }

    /** Nobody asks a link to hand back what was not delivered unless sessions go on without it. */
    @Test
    void aLinkThatHandsBackTooLittleIsNoticed() {
        assumeThat(Promise.current()).isEqualTo(Promise.SESSION_OUTLIVES_ITS_LINK);
        assertThat(noticed(Mutation.HANDS_BACK_ALL_BUT_THE_LAST, Promise.current()))
                .isGreaterThan(NOTICED);
    }

    private static int noticed(Mutation mutation, Promise promise) {
        SplittableRandom seeds = new SplittableRandom(mutation.ordinal());
        int noticed = 0;
        for (int i = 0; i < SEEDS; i++) {
            if (new Run(seeds.nextLong(), Extent.current(), promise, mutation)
                            .quickly()
                            .violation()
                    != null) {
                noticed++;
            }
        }
        return noticed;
    }
}
