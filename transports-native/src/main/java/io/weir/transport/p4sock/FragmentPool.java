package io.weir.transport.p4sock;

import java.util.ArrayDeque;

/**
 * The fragments of one link that are not in use: as many as were in use at once, up to a bound, so that a stream makes
 * none. What lies outside of the heap is dear to make. Belongs to the loop's thread.
 */
final class FragmentPool {

    private final int payload;
    private final int most;
    private final ArrayDeque<Fragment> idle = new ArrayDeque<>();

    /**
     * @param payload bytes that each has room for
     * @param most that are kept
     */
    FragmentPool(int payload, int most) {
        this.payload = payload;
        this.most = most;
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
