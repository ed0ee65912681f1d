package io.weir.transport.loop;

import io.weir.core.Pollable;
import java.util.Arrays;

/** What a loop polls. Any of them may add or remove some while it is polled. Loop thread only. */
final class Pollables {

    /** Replaced, never changed: whoever goes through it sees by comparing whether something was added or removed. */
    private Pollable[] all = {};
    /** Those that were told that the loop sleeps, from the first on. */
    private Pollable[] resting = {};

    private int asleep;

    boolean isEmpty() {
        return all.length == 0;
    }

    void add(Pollable pollable) {
        if (indexOf(all, pollable) >= 0) {
            throw new IllegalStateException(pollable + " is already polled by this loop");
        }
        all = Arrays.copyOf(all, all.length + 1);
        all[all.length - 1] = pollable;
    }

    void remove(Pollable pollable) {
        int index = indexOf(all, pollable);
        if (index < 0) {
            return;
        }
        Pollable[] fewer = new Pollable[all.length - 1];
        System.arraycopy(all, 0, fewer, 0, index);
        System.arraycopy(all, index + 1, fewer, index, fewer.length - index);
        all = fewer;
        int told = indexOf(resting, pollable);
        if (told >= 0 && told < asleep) {
            // Now, since its memory may be gone when the others are told.
            pollable.awake();
        }
    }

    int poll(Failures failures) {
        Pollable[] polled = all;
        int work = 0;
        for (Pollable pollable : polled) {
            if (all == polled || indexOf(all, pollable) >= 0) {
                work += poll(pollable, failures);
            }
        }
        return work;
    }

    private static int poll(Pollable pollable, Failures failures) {
        try {
            return pollable.poll();
        } catch (Throwable e) {
            failures.repeated("Polling", pollable, e);
            return 0;
        }
    }

    /** Informs each that the loop is about to sleep. Returns whether it may. {@link #awake} must follow. */
    boolean asleep(Failures failures) {
        resting = all;
        boolean mayRest = true;
        while (mayRest && asleep < resting.length) {
            mayRest = asleep(resting[asleep++], failures);
        }
        return mayRest;
    }

    private static boolean asleep(Pollable pollable, Failures failures) {
        try {
            return pollable.asleep();
        } catch (Throwable e) {
            failures.repeated("Before sleeping, asking", pollable, e);
            return false;
        }
    }

    void awake(Failures failures) {
        Pollable[] told = resting;
        int count = asleep;
        resting = new Pollable[0];
        asleep = 0;
        for (int i = 0; i < count; i++) {
            if (told == all || indexOf(all, told[i]) >= 0) {
                awake(told[i], failures);
            }
        }
    }

    private static void awake(Pollable pollable, Failures failures) {
        try {
            pollable.awake();
        } catch (Throwable e) {
            failures.repeated("After sleeping, telling", pollable, e);
        }
    }

    private static int indexOf(Pollable[] among, Pollable pollable) {
        for (int i = 0; i < among.length; i++) {
            if (among[i] == pollable) {
                return i;
            }
        }
        return -1;
    }
}
