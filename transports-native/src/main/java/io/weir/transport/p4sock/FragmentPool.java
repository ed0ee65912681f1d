package io.weir.transport.p4sock;

import java.util.ArrayDeque;

/** The fragments of one link that are not in use: as many as were in use at once, up to a bound. Belongs to the loop's thread. */
final class FragmentPool {

    /** Idle memory that a link keeps. */
    private static final int KEPT_BYTES = 1 << 20;

    private final int payload;
    private final int most;
    private final ArrayDeque<Fragment> idle = new ArrayDeque<>();

    /** @param payload bytes that each has room for */
    FragmentPool(int payload) {
        this.payload = payload;
        this.most = Math.max(8, KEPT_BYTES / payload);
    }

    Fragment take() {
        Fragment used = idle.pollLast();
        return used == null ? new Fragment(payload) : used;
    }

    void give(Fragment fragment) {
        fragment.release();
        if (idle.size() < most) {
            idle.addLast(fragment);
        }
    }
}
