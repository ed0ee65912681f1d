package io.weir.transport.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock under which is found who has to be told something, behind it: being told takes locks that are taken before
 * this one elsewhere.
 */
public final class TellingLock extends ReentrantLock {

    private static final long serialVersionUID = 1L;

    /** Under the lock. */
    private final transient List<Runnable> waiting = new ArrayList<>();

    public TellingLock() {}

    /** Tells it when the lock is given up by {@link #unlockAndTell}. The caller has it. */
    public void tell(Runnable news) {
        waiting.add(news);
    }

    /** Gives it up, and tells, if it was held only once, what there is to tell. */
    public void unlockAndTell() {
        List<Runnable> told = List.of();
        if (getHoldCount() == 1 && !waiting.isEmpty()) {
            told = List.copyOf(waiting);
            waiting.clear();
        }
        unlock();
        if (!told.isEmpty()) {
            told.forEach(Runnable::run);
        }
    }
}
