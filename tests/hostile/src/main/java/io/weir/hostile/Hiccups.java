package io.weir.hostile;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a thread of this process that wanted to run had to wait: what the machine adds to every measurement here.
 */
final class Hiccups {

    private static final long NAP = TimeUnit.MILLISECONDS.toNanos(2);

    private long longest;

    Hiccups() {
        Thread thread = new Thread(this::run, "hiccups");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (true) {
            long before = System.nanoTime();
            LockSupport.parkNanos(NAP);
            woke(System.nanoTime() - before - NAP);
        }
    }

    private synchronized void woke(long late) {
        longest = Math.max(longest, late);
    }

    synchronized void measure() {
        longest = 0;
    }

    synchronized long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longest);
    }
}
