package io.weir.samples.demo;

import java.time.Duration;

/**
 * How long a source has stood still because nobody asked it for more: backpressure, seen from the sender. Told by one
 * thread at a time.
 */
final class Patience {

    private long due;
    private long idleSince;
    private long idle;
    private int pauses;

    /** The stream's end asks for more. */
    void asked(long items) {
        if (due == 0 && idleSince != 0) {
            idle += System.nanoTime() - idleSince;
            pauses++;
        }
        due += items;
    }

    /** One more item was given. */
    void gave() {
        due--;
        if (due == 0) {
            idleSince = System.nanoTime();
        }
    }

    Duration idle() {
        return Duration.ofNanos(idle);
    }

    int pauses() {
        return pauses;
    }
}
