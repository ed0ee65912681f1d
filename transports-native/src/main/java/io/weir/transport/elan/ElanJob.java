package io.weir.transport.elan;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.TellingLock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as one of a parallel job, which it becomes once and stays until it ends. One lock is around all calls
 * into the library, which has none.
 *
 * <p>Nothing of Elan's can be slept on together with anything else, so a thread looks for those whose loops sleep, and
 * after those that are closed.
 */
final class ElanJob {

    private static final Logger log = LoggerFactory.getLogger(ElanJob.class);

    /** So long may {@code elan_baseInit} wait for the job's other processes. */
    private static final long JOIN_SECONDS = 10;

    private static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int LINKS = 1024;

    private static final int TRIAL_BYTES = 64;
    /** Kept, as what was begun may be done at any time. */
    private static final ByteBuffer TRIAL = Structures.allocate(3 * TRIAL_BYTES);

    /** How often is looked for sleepers: soon after something has come, later less and less often. */
    private static final long QUICK_NANOS = 50_000;

    private static final long SLOW_NANOS = 1_000_000;
    private static final long QUICK_FOR_NANOS = 20_000_000;
    /** Nobody sleeps, and whoever begins to do so says it. */
    private static final long IDLE_NANOS = 100_000_000;

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    /** What this process is, or why it can't be; not changed any more once the library was called. */
    private static @Nullable CompletableFuture<ElanJob> joining;

    private static ElanOptions.@Nullable Choice chosen;

    private final ElanApi api;
    private final ElanMembership membership;
    private final ElanState state;
    private final TellingLock lock = new TellingLock();

    /** Written to by others at any time, so it is there as long as the process. */
    private final ByteBuffer mailboxes = Structures.allocate(LINKS * ElanMailbox.BYTES);

    private final Deque<Long> freeMailboxes = new ArrayDeque<>();
    private final List<ElanWire> wires = new ArrayList<>();
    /**
     * Those that are closed, and whose peers have not said their last word, if they ever will: looked at when anything
     * else is.
     */
    private final List<ElanWire> unanswered = new ArrayList<>();

    private volatile @Nullable Thread watcher;
    /** When a loop was woken last. */
    private long lastNews = System.nanoTime();

    private ElanJob(ElanApi api, ElanMembership membership, ElanState state) {
        this.api = api;
        this.membership = membership;
        this.state = state;
        for (int link = 0; link < LINKS; link++) {
            freeMailboxes.add(Structures.address(mailboxes) + (long) link * ElanMailbox.BYTES);
        }
    }

    /**
     * Joins the job, unless this process has. Not on a loop.
     *
     * @throws PeerUnavailable if it can't be, with the remedy
     */
    static ElanJob join(ElanOptions.Choice choice) {
        try {
            return joining(choice).get(JOIN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new PeerUnavailable(String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw new PeerUnavailable(
                    "elan_baseInit has not come back for " + JOIN_SECONDS
                            + " s: it waits for the other processes of the job, or for the network; start them "
                            + "all, and open the node later",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerUnavailable("interrupted while this process joined its job", e);
        }
    }

    /**
     * The job, if this process has joined it.
     *
     * @throws PeerUnavailable if it has not
     */
    static ElanJob joined(ElanOptions.Choice choice) {
        synchronized (ElanJob.class) {
            ElanJob job = joining == null || joining.isCompletedExceptionally() ? null : joining.getNow(null);
            if (job == null || !choice.equals(chosen)) {
                throw new PeerUnavailable("this process has not joined its job on QsNet yet");
            }
            return job;
        }
    }

    private static synchronized CompletableFuture<ElanJob> joining(ElanOptions.Choice choice) {
        CompletableFuture<ElanJob> begun = joining;
        if (begun != null) {
            if (!choice.equals(chosen)) {
                throw new PeerUnavailable("this process has joined its job with weir.transport.elan.library="
                        + (chosen == null ? "" : chosen.library())
                        + " already, and can't once more with another library or device");
            }
            return begun;
        }
        // Whatever is wrong so far can be mended while this process runs.
        ElanMembership membership = ElanMembership.of(System.getenv());
        ElanMembership.checkDevice(choice.device());
        ElanApi api = ElanApi.load(choice.library());
        CompletableFuture<ElanJob> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> begin(api, membership, result), "weir-elan-join");
        thread.setDaemon(true);
        thread.start();
        chosen = choice;
        joining = result;
        return result;
    }

    private static void begin(ElanApi api, ElanMembership membership, CompletableFuture<ElanJob> result) {
        try {
            log.debug("Joins the job on QsNet as process {} of {}", membership.vp(), membership.nvp());
            long base = api.baseInit();
            ElanJob job = new ElanJob(api, membership, ElanState.find(base, membership));
            job.prove();
            result.complete(job);
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    /**
     * Whether writing and reading do what is known of them: to and from this process itself, which it can be seen for.
     */
    private void prove() {
        int bytes = TRIAL_BYTES;
        ByteBuffer memory = TRIAL;
        long from = Structures.address(memory);
        if (!isAddressable(from, memory.capacity())) {
            throw new PeerUnavailable(ElanDomain.NOT_ADDRESSABLE);
        }
        for (int i = 0; i < bytes; i++) {
            memory.put(i, (byte) (i + 1));
        }
        await("elan_put", put(from, from + bytes, bytes, membership.vp()));
        await("elan_get", get(from + bytes, from + 2L * bytes, bytes, membership.vp()));
        for (int i = 0; i < 3 * bytes; i++) {
            if (memory.get(i) != i % bytes + 1) {
                throw new PeerUnavailable(
                        api.name() + " does not do what is known of it: what was written to this process"
                                + " itself, and read from it, has not come as it was");
            }
        }
    }

    private void await(String call, long event) {
        long end = System.nanoTime() + TRIAL_NANOS;
        while (!isDone(event)) {
            if (System.nanoTime() - end > 0) {
                throw new PeerUnavailable(api.name() + " does not do what is known of it: " + call
                        + " to this process itself is not done after " + TimeUnit.NANOSECONDS.toSeconds(TRIAL_NANOS)
                        + " s");
            }
            LockSupport.parkNanos(QUICK_NANOS);
        }
    }

    ElanMembership membership() {
        return membership;
    }

    /** For people. */
    String details() {
        return "vp " + membership.vp() + ", nvp " + membership.nvp() + ", " + api.name() + " " + state.version();
    }

    void lock() {
        lock.lock();
    }

    /** Behind the last one, what has become quiet meanwhile is told so. */
    void unlock() {
        lock.unlockAndTell();
    }

    long put(long from, long to, long bytes, int vp) {
        lock.lock();
        try {
            return sound("elan_put", api.put(state.address(), from, to, bytes, vp));
        } finally {
            lock.unlock();
        }
    }

    long get(long from, long to, long bytes, int vp) {
        lock.lock();
        try {
            return sound("elan_get", api.get(state.address(), from, to, bytes, vp));
        } finally {
            lock.unlock();
        }
    }

    private static long sound(String call, long event) {
        if (event == 0) {
            throw new SessionLost(call + " has failed: it has returned no event");
        }
        return event;
    }

    boolean isDone(long event) {
        lock.lock();
        try {
            return api.isDone(event);
        } finally {
            lock.unlock();
        }
    }

    boolean isAddressable(long address, long bytes) {
        lock.lock();
        try {
            return api.isAddressable(state.address(), address, bytes);
        } finally {
            lock.unlock();
        }
    }

    // Under the lock.

    /** A mailbox of one's own, empty, that this process may be written into as long as it lasts. */
    ElanMailbox takeMailbox() {
        Long address = freeMailboxes.poll();
        if (address == null) {
            throw new PeerUnavailable(
                    "this process has " + LINKS + " links over elan already, or has lost as many, and takes no more");
        }
        MEMORY.setMemory(address, ElanMailbox.BYTES, (byte) 0);
        return new ElanMailbox(address);
    }

    /** Nobody writes into it any more. */
    void giveBack(ElanMailbox mailbox) {
        freeMailboxes.add(mailbox.address());
    }

    void add(ElanWire wire) {
        wires.add(wire);
        if (watcher == null) {
            Thread thread = new Thread(this::watch, "weir-elan");
            thread.setDaemon(true);
            thread.start();
            watcher = thread;
        }
    }

    /** One of them is closed, and will be quiet. */
    void closes() {
        settle();
        LockSupport.unpark(watcher);
    }

    /** A loop sleeps. */
    void watches() {
        LockSupport.unpark(watcher);
    }

    private void settle() {
        long now = System.nanoTime();
        unanswered.removeIf(wire -> isOver(wire, now));
        wires.removeIf(wire -> {
            if (!wire.isClosed()) {
                return false;
            }
            boolean over = isOver(wire, now);
            boolean waits = !over && (wire.isQuiet() || wire.isOverdue(now));
            if (waits) {
                unanswered.add(wire);
            }
            if (waits && !wire.isQuiet()) {
                log.warn(
                        "Process {} of the job has not said that it writes nothing more into a link's memory, "
                                + "which is kept for that",
                        wire.vp());
            }
            return over || waits;
        });
    }

    private boolean isOver(ElanWire wire, long now) {
        Runnable told = wire.takeQuiet();
        if (told != null) {
            lock.tell(told);
        }
        return wire.isOver(now);
    }

    /** As long as there are links: looks for those whose loops sleep, and for those that are closed. */
    private void watch() {
        long pause = 0;
        while (pause >= 0) {
            try {
                pause = look();
            } catch (RuntimeException e) {
                // Links that are well go on, and whoever closes one has nobody else.
                log.error("Links over elan can't be looked after as they should", e);
                pause = IDLE_NANOS;
            }
            if (pause > 0) {
                LockSupport.parkNanos(pause);
            }
        }
    }

    /** Returns for how long there is nothing to do; negative if there are no links any more. */
    private long look() {
        long now = System.nanoTime();
        lock();
        try {
            settle();
            if (wires.isEmpty()) {
                watcher = null;
                return -1;
            }
            boolean news = false;
            boolean awaited = false;
            for (ElanWire wire : wires) {
                awaited |= wire.isArmed() || wire.isClosed();
                news |= wire.wake();
            }
            lastNews = news ? now : lastNews;
            return !awaited ? IDLE_NANOS : now - lastNews < QUICK_FOR_NANOS ? QUICK_NANOS : SLOW_NANOS;
        } finally {
            unlock();
        }
    }
}
