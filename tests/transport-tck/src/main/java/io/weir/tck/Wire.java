package io.weir.tck;

import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One direction of a {@link FaultyLink}: what the other side has sent and this one has not seen yet. Any thread. */
final class Wire {

    private static final int MOST_FRAMES = 256;
    private static final int MOST_BYTES = 1 << 20;
    private static final int AT_ONCE = 64;

    private final FaultyLink receiver;
    private final Queue<Parcel> parcels = new ArrayDeque<>();
    private long bytes;
    private boolean scheduled;
    private boolean roomWanted;
    private boolean abandoned;
    private @Nullable WeirException end;

    Wire(FaultyLink receiver) {
        this.receiver = receiver;
    }

    /** Whether there is no room; the sender then hears of it when half of the room is free. */
    synchronized boolean refuses() {
        boolean full = !abandoned && (parcels.size() >= MOST_FRAMES || bytes > MOST_BYTES - FaultyLink.MAX_FRAME);
        roomWanted |= full;
        return full;
    }

    /** Takes over the parcel. */
    void put(Parcel parcel) {
        synchronized (this) {
            if (abandoned || end != null) {
                parcel.discard();
                return;
            }
            parcels.add(parcel);
            bytes += parcel.copied();
        }
        attend();
    }

    /** Nothing comes after what is here; then the receiver loses the link for this reason. */
    void end(WeirException reason) {
        synchronized (this) {
            if (end == null) {
                end = reason;
            }
        }
        attend();
    }

    /** Nobody receives any longer. */
    void abandon() {
        synchronized (this) {
            abandoned = true;
            bytes = 0;
            parcels.forEach(Parcel::discard);
            parcels.clear();
        }
        makeRoom();
    }

    /** Makes the receiver look here soon. */
    void attend() {
        synchronized (this) {
            if (scheduled || abandoned) {
                return;
            }
            scheduled = true;
        }
        run(Duration.ZERO);
    }

    private void run(Duration later) {
        try {
            if (later.isZero()) {
                receiver.loop().execute(this::deliver);
            } else {
                var unused = receiver.loop().schedule(this::deliver, later);
            }
        } catch (RejectedExecutionException e) {
            abandon();
            receiver.other().endAfterAll(new SessionLost("the loop of the other side has ended", e));
        }
    }

    /** On the receiver's loop. */
    private void deliver() {
        for (int i = 0; i < AT_ONCE && receiver.receives(); i++) {
            Parcel next = next();
            if (next == null) {
                break;
            }
            receiver.deliver(next);
        }
        makeRoom();
        WeirException reason = comeToRest();
        if (reason != null) {
            receiver.lose(reason);
        }
    }

    private synchronized @Nullable Parcel next() {
        Parcel next = parcels.peek();
        if (next == null || !next.untilDue().isZero()) {
            return null;
        }
        bytes -= next.copied();
        return parcels.remove();
    }

    /** Goes on, comes to rest, or returns why this is the end. */
    private @Nullable WeirException comeToRest() {
        Duration later;
        synchronized (this) {
            Parcel next = parcels.peek();
            if (abandoned || !receiver.receives() || (next == null && end == null)) {
                scheduled = false;
                return null;
            }
            if (next == null) {
                return end;
            }
            later = next.untilDue();
        }
        run(later);
        return null;
    }

    private void makeRoom() {
        synchronized (this) {
            if (!roomWanted || parcels.size() > MOST_FRAMES / 2 || bytes > MOST_BYTES / 2) {
                return;
            }
            roomWanted = false;
        }
        receiver.other().onLoop(receiver.other()::roomAgain);
    }
}
