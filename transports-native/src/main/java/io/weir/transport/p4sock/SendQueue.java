package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one connection from their making until the other side has them, and which of them to send next.
 * Fragments have whole numbers, of which a frame shows the lowest 16 bits. Belongs to the loop's thread.
 *
 * <p>A fragment is taken for lost when some that were sent after it have arrived; how many, grows when that was wrong
 * and shrinks when it was right. When nothing comes back at all, the first one is sent again, then all, each time after
 * a longer wait.
 */
final class SendQueue {

    /** Sends, given so many fragments, and returns how many the device has taken. */
    interface Outlet {
        int send(Fragment[] batch, long[] numbers, int count);
    }

    /** Fragments that go out in one call. */
    static final int BATCH = 64;

    /** So many that were sent later must have arrived, at first and at most. */
    private static final int EARLY = 3;

    private static final int LATE = 256;

    /** In so many silences in a row only the first one is sent again. */
    private static final int PATIENT = 2;

    private static final int MOST_DOUBLINGS = 5;
    private static final long LONGEST_WAIT = 500_000_000;

    private final int room;
    private final int mostUnsent;
    private final FragmentPool pool;
    private final @Nullable Fragment[] ring;
    private final int mask;
    private final Congestion congestion;
    private final RoundTrip roundTrip = new RoundTrip();
    private final Fragment[] batch = new Fragment[BATCH];
    private final long[] numbers = new long[BATCH];

    /** The first one that is kept, though it may have arrived, for a frame that has not arrived whole. */
    private long kept = FrameFormat.FIRST;
    /** The first one that has not arrived. */
    private long first = FrameFormat.FIRST;
    /** The first one that was never sent. */
    private long fresh = FrameFormat.FIRST;
    /** Behind the last one. */
    private long end = FrameFormat.FIRST;

    /** The last one that the other side lets us send, and one beyond it that asks whether that still holds. */
    private long windowEnd = FrameFormat.FIRST_WINDOW;

    private long probe;
    private int underWay;
    private int lost;
    private long lostFrom = FrameFormat.FIRST;
    private long turns;
    private long lastArrivedTurn;
    private int threshold = EARLY;
    private long sampled;
    private boolean hasSample;
    /** Something has arrived that was sent again, or once only. */
    private boolean again;

    private boolean once;
    private boolean afterSilence;
    private int silences;
    private long waitingSince;
    private long progressAt;
    private boolean awaiting;
    private boolean stopped;

    /**
     * @param room fragments that may be here before no more are welcome
     * @param mostUnsent how many of them may never have been sent
     * @param spare how many more come nevertheless, as the last frame has them, and how many are kept for the first one
     */
    SendQueue(int room, int mostUnsent, int spare, FragmentPool pool) {
        this.room = room;
        this.mostUnsent = mostUnsent;
        this.pool = pool;
        int size = Integer.highestOneBit(2 * (room + spare) - 1);
        this.ring = new Fragment[size];
        this.mask = size - 1;
        this.congestion = new Congestion(room, first);
    }

    private Fragment at(long number) {
        Fragment there = ring[(int) number & mask];
        if (there == null) {
            throw new IllegalStateException("there is no fragment " + number);
        }
        return there;
    }

    /** Whether nothing more is welcome. */
    boolean isFull() {
        return end - first >= room || end - fresh >= mostUnsent;
    }

    /** Whether there is much room again. */
    boolean isRoomy() {
        return end - first < room / 2 && end - fresh <= mostUnsent / 2;
    }

    /** Whether everything has arrived. */
    boolean isEmpty() {
        return first == end;
    }

    /** The number of the one that is added next. */
    long end() {
        return end;
    }

    /** The first one that has not arrived. */
    long first() {
        return first;
    }

    void add(Fragment fragment) {
        if (end - kept > mask) {
            throw new IllegalStateException("more than " + mask + " fragments");
        }
        ring[(int) end & mask] = fragment;
        end++;
    }

    /** Whether something could be sent now. */
    boolean hasDue() {
        return !stopped && underWay < congestion.window() && (lost > 0 || maySendFresh());
    }

    private boolean maySendFresh() {
        return fresh < end && (fresh <= windowEnd || fresh <= probe);
    }

    /**
     * Sends what may be sent. Returns false if the device takes no more now.
     *
     * @param now in nanoseconds, as in all that follows
     */
    boolean send(Outlet outlet, long now) {
        while (hasDue()) {
            int count = gather();
            int taken = outlet.send(batch, numbers, count);
            for (int i = 0; i < taken; i++) {
                sent(batch[i], numbers[i], now);
            }
            if (taken < count) {
                return false;
            }
        }
        if (maySendFresh()) {
            congestion.filled();
        }
        return true;
    }

    private int gather() {
        int most = Math.min(BATCH, congestion.window() - underWay);
        int count = 0;
        int left = lost;
        for (long number = lostFrom; left > 0 && count < most; number++) {
            Fragment fragment = at(number);
            if (fragment.lost) {
                batch[count] = fragment;
                numbers[count++] = number;
                left--;
            }
        }
        for (long number = fresh; count < most && number < end && (number <= windowEnd || number <= probe); number++) {
            batch[count] = at(number);
            numbers[count++] = number;
        }
        return count;
    }

    private void sent(Fragment fragment, long number, long now) {
        if (fragment.lost) {
            fragment.lost = false;
            lost--;
            lostFrom = number + 1;
        } else {
            fresh = number + 1;
        }
        if (underWay++ == 0) {
            waitingSince = now;
        }
        if (number == first && fragment.times == 0) {
            progressAt = now;
        }
        fragment.times++;
        fragment.sentAt = now;
        fragment.turn = ++turns;
    }

    /**
     * The other side has all up to this number and lets us send up to that one. Returns false if that can't be.
     *
     * @param last of those that have come in order
     */
    boolean acknowledged(long last, long window, long now) {
        if (last >= fresh || last < first - 1 - Short.MAX_VALUE) {
            return false;
        }
        if (last < first - 1) {
            // One that was overtaken.
            return true;
        }
        if (window > windowEnd || last >= first) {
            windowEnd = window;
            probe = 0;
            awaiting = false;
        }
        if (last >= first) {
            while (first <= last) {
                Fragment fragment = at(first);
                if (!fragment.arrived) {
                    hasArrived(fragment, now);
                }
                first++;
            }
            lostFrom = Math.max(lostFrom, first);
            progress(now);
            congestion.arrived(first, fresh);
            trim();
        }
        return true;
    }

    /** These have arrived as well, out of order. Returns false if that can't be. */
    boolean acknowledgedRange(long from, long to, long now) {
        if (from <= first - 1 - Short.MAX_VALUE || to >= fresh || from > to) {
            return false;
        }
        for (long number = Math.max(from, first); number <= to; number++) {
            Fragment fragment = at(number);
            if (!fragment.arrived) {
                fragment.arrived = true;
                hasArrived(fragment, now);
                progress(now);
            }
        }
        return true;
    }

    private void hasArrived(Fragment fragment, long now) {
        if (fragment.lost) {
            fragment.lost = false;
            lost--;
            wasLate(fragment);
        } else {
            underWay--;
        }
        if (fragment.times == 1) {
            once = true;
            if (fragment.turn > lastArrivedTurn) {
                sampled = fragment.sentAt;
                hasSample = true;
            }
        } else if (now - fragment.sentAt < roundTrip.shortest() / 2) {
            // What has arrived is what was sent before.
            wasLate(fragment);
            return;
        } else {
            again = true;
            if (fragment.overtaken) {
                threshold = Math.max(EARLY, threshold - 1);
            }
        }
        lastArrivedTurn = Math.max(lastArrivedTurn, fragment.turn);
    }

    /** It was taken for lost too early; for a timer that was too fast, the order is not to blame. */
    private void wasLate(Fragment fragment) {
        if (fragment.overtaken) {
            threshold = Math.min(LATE, threshold * 2);
        }
    }

    private void progress(long now) {
        silences = 0;
        waitingSince = now;
        progressAt = now;
    }

    private void trim() {
        long needed = first < end ? at(first).frameBegin : Long.MAX_VALUE;
        while (kept < first) {
            Fragment fragment = at(kept);
            if (fragment.begin + fragment.length() > needed) {
                return;
            }
            ring[(int) kept & mask] = null;
            kept++;
            pool.give(fragment);
        }
    }

    /** After what one frame has acknowledged, of which this is the highest number: finds what must be lost. */
    void settle(long highestArrived, long now) {
        if (hasSample) {
            // The newest one: the others have waited for it.
            hasSample = false;
            roundTrip.sample(now - sampled);
        }
        // What was sent again in a silence has overtaken all before it; if others have come, it may be its former self
        // that has come.
        afterSilence &= !once;
        long before = again && afterSilence ? fresh : Math.min(highestArrived, fresh);
        again = false;
        once = false;
        if (underWay == 0) {
            return;
        }
        for (long number = first; number < before; number++) {
            Fragment fragment = at(number);
            if (!fragment.arrived && !fragment.lost && fragment.turn + threshold <= lastArrivedTurn) {
                lose(fragment, number, true);
            }
        }
    }

    private void lose(Fragment fragment, long number, boolean overtaken) {
        fragment.lost = true;
        fragment.overtaken = overtaken;
        underWay--;
        lostFrom = lost == 0 ? number : Math.min(lostFrom, number);
        lost++;
        congestion.lost();
    }

    /**
     * A side that tells nothing of what has come out of order asks for all from the first one on; not again before that
     * can have come.
     */
    void sendAllAgain(long now) {
        if (first < fresh && now - at(first).sentAt >= roundTrip.usual() && !at(first).lost) {
            loseAll();
        }
    }

    private void loseAll() {
        lose(Integer.MAX_VALUE);
    }

    /** Takes the first ones for lost, so many at most, because of the time and not of what has overtaken them. */
    private void lose(int most) {
        int left = most;
        for (long number = first; left > 0 && number < fresh; number++) {
            Fragment fragment = at(number);
            if (!fragment.arrived && !fragment.lost) {
                lose(fragment, number, false);
                left--;
            }
        }
    }

    /** When to call {@link #silence}; {@link Long#MAX_VALUE} if nothing is awaited. */
    long deadline() {
        if (stopped || (underWay == 0 && !awaiting)) {
            return Long.MAX_VALUE;
        }
        return waitingSince + Math.min(LONGEST_WAIT, roundTrip.patience() << Math.min(silences, MOST_DOUBLINGS));
    }

    /** Since when nothing of what was sent has arrived, or no more may be sent. */
    long progressAt() {
        return progressAt;
    }

    /** Whether all that the other side lets us send was sent, and there is more. */
    boolean isShut() {
        return fresh > windowEnd && end - 1 > windowEnd;
    }

    /** After sending: where the window is shut, its opening is awaited, as what tells of it may be lost. */
    void awaitOpening(long now) {
        if (underWay == 0 && isShut() && !awaiting) {
            awaiting = true;
            waitingSince = now;
        }
    }

    /** Nothing has come back in time. */
    void silence(long now) {
        silences++;
        waitingSince = now;
        if (underWay == 0) {
            probe = fresh;
            return;
        }
        afterSilence = true;
        // It may just have been busy: when the first one arrives alone, it has overtaken all the others.
        if (silences <= PATIENT) {
            lose(1);
            return;
        }
        congestion.silent();
        // With all of them, as the window lets nothing out while more are under way.
        loseAll();
    }

    /** Gives the payload that has not arrived, from the beginning of a frame on. */
    void giveBack(Consumer<ByteBuf> to) {
        if (first >= end) {
            return;
        }
        long needed = at(first).frameBegin;
        for (long number = kept; number < end; number++) {
            Fragment fragment = at(number);
            int skipped = (int) Math.max(0, needed - fragment.begin);
            if (skipped < fragment.length()) {
                fragment.give(skipped, to);
            }
        }
    }

    /** Nobody wants what is here: sends nothing more, and keeps it to be given back. */
    void stop() {
        stopped = true;
    }

    /** Lets go of everything. */
    void release() {
        for (long number = kept; number < end; number++) {
            Fragment fragment = at(number);
            ring[(int) number & mask] = null;
            pool.give(fragment);
        }
        kept = end;
        first = end;
        fresh = end;
        underWay = 0;
        lost = 0;
    }
}
