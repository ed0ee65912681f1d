package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReusedFrameTest {

    @Test
    void givesTheSameFrameManyTimesAndThenAnother() {
        ReusedFrame reused = new ReusedFrame();
        Set<Frame> frames = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 10_000; i++) {
            Frame frame = reused.next();
            assertThat(reused.current()).isSameAs(frame);
            frames.add(frame);
        }

        assertThat(frames).hasSizeBetween(2, 20);
    }
}
