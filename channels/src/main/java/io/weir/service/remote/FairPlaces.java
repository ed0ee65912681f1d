package io.weir.service.remote;

import java.util.HashMap;
import java.util.Map;

/**
 * A number of places, of which nobody can have all, and of which never more are taken than there are. A peer gets at
 * most half of what others leave, and the peers of one identity three quarters of what others leave; their first ones,
 * seven eighths. Any thread.
 */
final class FairPlaces {

    private final int most;
    private final Map<Object, Integer> ofPeers = new HashMap<>();
    private final Map<Object, Integer> ofIdentities = new HashMap<>();
    private int taken;

    FairPlaces(int most) {
        this.most = most;
    }

    /** Takes a place, if there is one for this peer. */
    synchronized boolean enter(Object peer, Object identity) {
        int its = ofPeers.getOrDefault(peer, 0);
        int ofAll = ofIdentities.getOrDefault(identity, 0);
        boolean fits = its == 0
                ? taken < most && ofAll < share(most - (taken - ofAll), 7, 8)
                : its < share(most - (taken - its), 1, 2) && ofAll < share(most - (taken - ofAll), 3, 4);
        if (fits) {
            add(peer, identity, 1);
        }
        return fits;
    }

    /** Rounded up. */
    private static int share(int places, int parts, int of) {
        return (int) (((long) places * parts + of - 1) / of);
    }

    /** Gives back a place that was taken. */
    synchronized void leave(Object peer, Object identity) {
        add(peer, identity, -1);
    }

    private void add(Object peer, Object identity, int count) {
        taken += count;
        ofPeers.merge(peer, count, FairPlaces::sumOrNone);
        ofIdentities.merge(identity, count, FairPlaces::sumOrNone);
    }

    @SuppressWarnings("NullAway") // Which removes the entry.
    private static Integer sumOrNone(Integer one, Integer other) {
        return one + other == 0 ? null : Integer.valueOf(one + other);
    }
}
