package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Pollable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Nothing to do, but it holds the loop to the order of calls that {@link Pollable} describes. */
class Watched implements Pollable {

    final AtomicLong polls = new AtomicLong();
    final AtomicLong naps = new AtomicLong();
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    private boolean asleep;

    @Override
    public int poll() {
        if (asleep) {
            wrong.add("poll() between asleep() and awake()");
        }
        polls.incrementAndGet();
        return work();
    }

    int work() {
        return 0;
    }

    boolean mayRest() {
        return true;
    }

    @Override
    public boolean asleep() {
        if (asleep) {
            wrong.add("asleep() twice");
        }
        asleep = true;
        naps.incrementAndGet();
        return mayRest();
    }

    @Override
    public void awake() {
        if (!asleep) {
            wrong.add("awake() without asleep()");
        }
        asleep = false;
    }

    void check() {
        assertThat(wrong).isEmpty();
    }
}
