package io.weir.transport.loop;

import io.weir.core.Pollable;
import java.util.Arrays;
import java.util.IdentityHashMap;

/**
 * What a loop polls. Any of them may add or remove some while it is polled. Loop thread only.
 *
 * <p>A look at something idle costs some 5 ns in every turn, and a fence whenever the loop falls asleep. So beyond a
 * few, those that have been idle for long become quiet: they sleep while the loop is awake, and cost nothing until they
 * are roused.
 */
final class Pollables {

    /** So many are polled however idle they are, as whoever brings work to a quiet one has to call the kernel. */
    static final int FEW = 8;

    /** Without work for so long, and such a call, which takes 2 us, is not felt. */
    static final long IDLE_NANOS = 1_000_000;

    /** So many become quiet in one turn at most: each needs a fence. */
    private static final int AT_ONCE = 16;

    private static final class Place {
        final Pollable pollable;
        /** Whether it is among those that are polled; it is quiet otherwise, or was removed. */
        boolean polled = true;
        /** It was told that the loop sleeps, and not yet that it is awake. */
        boolean asleep;
        /** Has had work since {@link #sift} has looked at it. */
        boolean worked = true;

        long idleSince;

        Place(Pollable pollable) {
            this.pollable = pollable;
        }
    }

    private final IdentityHashMap<Pollable, Place> all = new IdentityHashMap<>();
    /** Replaced, never changed, so that whoever goes through it is not disturbed. */
    private Place[] polled = {};
    /** The loop sleeps, or is about to. */
    private boolean resting;

    /** Whether none is polled now; there may be quiet ones. */
    boolean isEmpty() {
        return polled.length == 0;
    }

    /** How many are polled now. */
    int polled() {
        return polled.length;
    }

    void add(Pollable pollable) {
        Place place = new Place(pollable);
        if (all.putIfAbsent(pollable, place) != null) {
            throw new IllegalStateException(pollable + " is already polled by this loop");
        }
        append(place);
    }

    void remove(Pollable pollable) {
        Place place = all.remove(pollable);
        if (place == null) {
            return;
        }
        if (place.polled) {
            place.polled = false;
            dropUnpolled();
        }
        if (place.asleep) {
            // Now, since its memory may be gone when the others are told.
            place.asleep = false;
            pollable.awake();
        }
    }

    /** Polls it again from the next turn on, if it is quiet. */
    void rouse(Pollable pollable, Failures failures) {
        Place place = all.get(pollable);
        if (place != null && !place.polled) {
            rouse(place, failures);
        }
    }

    /** As {@link #rouse}, with all that are quiet. */
    void rouseAll(Failures failures) {
        for (Place place : all.values().toArray(new Place[0])) {
            if (!place.polled) {
                rouse(place, failures);
            }
        }
    }

    private void rouse(Place place, Failures failures) {
        // First, as it may fail for want of stack or memory: the place is still a quiet one then.
        append(place);
        place.polled = true;
        place.worked = true;
        if (!resting) {
            awake(place, failures);
        }
        // Otherwise it goes on sleeping, and awakes with the others.
    }

    private void append(Place place) {
        Place[] more = Arrays.copyOf(polled, polled.length + 1);
        more[polled.length] = place;
        polled = more;
    }

    private void dropUnpolled() {
        Place[] before = polled;
        Place[] left = new Place[before.length];
        int count = 0;
        for (Place place : before) {
            if (place.polled) {
                left[count++] = place;
            }
        }
        polled = Arrays.copyOf(left, count);
    }

    int poll(Failures failures) {
        int work = 0;
        for (Place place : polled) {
            if (place.polled) {
                int done = poll(place.pollable, failures);
                if (done != 0) {
                    place.worked = true;
                    work += done;
                }
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

    /**
     * Has those become quiet that have been idle for long, if there are more than a few. To be called now and then, not
     * in every turn.
     *
     * @param now in nanoseconds, from any origin
     */
    void sift(long now, Failures failures) {
        int most = Math.min(AT_ONCE, polled.length - FEW);
        if (most <= 0) {
            return;
        }
        int quiet = 0;
        for (Place place : polled) {
            if (place.worked) {
                place.worked = false;
                place.idleSince = now;
            } else if (quiet < most && now - place.idleSince >= IDLE_NANOS && place.polled) {
                if (becomesQuiet(place, failures)) {
                    quiet++;
                } else {
                    place.idleSince = now;
                }
            }
        }
        if (quiet != 0) {
            dropUnpolled();
        }
    }

    private static boolean becomesQuiet(Place place, Failures failures) {
        try {
            if (place.pollable.becomeQuiet()) {
                place.polled = false;
                place.asleep = true;
                return true;
            }
        } catch (Throwable e) {
            failures.repeated("When it had no work, asking", place.pollable, e);
        }
        return false;
    }

    /** Informs each that the loop is about to sleep. Returns whether it may. {@link #awake} must follow. */
    boolean asleep(Failures failures) {
        resting = true;
        for (Place place : polled) {
            if (place.polled && !asleep(place, failures)) {
                return false;
            }
        }
        return true;
    }

    private static boolean asleep(Place place, Failures failures) {
        place.asleep = true;
        try {
            return place.pollable.asleep();
        } catch (Throwable e) {
            failures.repeated("Before sleeping, asking", place.pollable, e);
            return false;
        }
    }

    void awake(Failures failures) {
        resting = false;
        for (Place place : polled) {
            if (place.polled && place.asleep) {
                awake(place, failures);
            }
        }
    }

    private static void awake(Place place, Failures failures) {
        place.asleep = false;
        try {
            place.pollable.awake();
        } catch (Throwable e) {
            failures.repeated("After sleeping, telling", place.pollable, e);
        }
    }
}
