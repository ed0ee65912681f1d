package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AttemptsTest {

    private final AtomicLong now = new AtomicLong(-5);
    private final Attempts attempts = new Attempts(now::get);

    private int failAsOftenAsAllowed() {
        int count = 0;
        while (attempts.left()) {
            attempts.failed();
            count++;
        }
        return count;
    }

    @Test
    void aFewAtOnceAndThenOneInAWhile() {
        assertThat(failAsOftenAsAllowed()).isEqualTo(Attempts.BURST);
        now.addAndGet(Attempts.INTERVAL.toNanos() - 1);
        assertThat(attempts.left()).isFalse();
        now.addAndGet(1);
        assertThat(failAsOftenAsAllowed()).isEqualTo(1);
        now.addAndGet(Attempts.INTERVAL.multipliedBy(1000).toNanos());
        assertThat(failAsOftenAsAllowed()).isEqualTo(Attempts.BURST);
    }
}
