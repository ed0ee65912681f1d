package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InsistenceTest {

    private final AtomicInteger times = new AtomicInteger();

    @Test
    void whatFindsNoMemoryIsDoneAgain() {
        Insistence.run(() -> {
            if (times.incrementAndGet() < 4) {
                throw new OutOfMemoryError("of a test");
            }
        });
        assertThat(times).hasValue(4);
    }

    @Test
    void whatFailsForAnotherReasonIsNot() {
        Insistence.run(() -> {
            times.incrementAndGet();
            throw new IllegalStateException("of a test");
        });
        assertThat(times).hasValue(1);
    }
}
