package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Overloaded;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds how many accepted connections are on their way to become sessions, and how many new ones come in a second. Any thread may
 * call.
 *
 * <p>Whoever connects is let in: if there is no room, somebody leaves who has proved nothing. Those who have said nothing may fill half
 * of the room, and then the one leaves who came first; otherwise it is the one who has said HELLO first. So those who only stand in the
 * door can't keep it shut, whatever they do there: a peer needs the time of half a room of others to say HELLO, which it does at once,
 * and of another half, which come no faster than the rate allows, to prove itself. Those who say that they have a session here have a
 * rate of their own, so that a session that needs another connection does not compete with strangers, unless they claim its id.
 */
final class Doorkeeper {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    private static final long SECOND = 1_000_000_000;

    /** An accepted connection that is no session yet. */
    interface Guest {
        Loop loop();

        /** Leaves, for this reason. On its loop. */
        void leave(Overloaded reason);
    }

    private final int room;
    private final int rate;
    private final LongSupplier nanos;
    private final Set<Guest> silent = new LinkedHashSet<>();
    private final Set<Guest> greeted = new LinkedHashSet<>();
    private final Set<Guest> proved = new HashSet<>();

    private final Rate strangers;
    /** An id is a claim, so those who say they have a session here can't come without any bound either. */
    private final Rate known;

    /**
     * Nobody has come so far.
     *
     * @param room guests at once
     * @param rate new ones in a second
     * @param nanos a clock
     */
    Doorkeeper(int room, int rate, LongSupplier nanos) {
        this.room = room;
        this.rate = rate;
        this.nanos = nanos;
        this.strangers = new Rate();
        this.known = new Rate();
    }

    /** Somebody has connected. Whether it is let in; then it has to {@link #left leave} at some time. */
    boolean came(Guest guest) {
        Guest other = null;
        synchronized (this) {
            if (count() >= room) {
                Set<Guest> from = silent.size() > room / 2 || greeted.isEmpty() ? silent : greeted;
                if (from.isEmpty()) {
                    return false;
                }
                other = from.iterator().next();
                from.remove(other);
            }
            silent.add(guest);
        }
        if (other != null) {
            sendAway(other);
        }
        return true;
    }

    private void sendAway(Guest guest) {
        try {
            guest.loop().execute(() -> guest.leave(noRoom()));
        } catch (RejectedExecutionException e) {
            LOG.debug("A connection had to leave when its loop had ended, and the connection with it");
        }
    }

    Overloaded noRoom() {
        return new Overloaded(
                "more connections are being made at once than weir.max.handshakes=" + room + "; try again");
    }

    /**
     * It has said HELLO.
     *
     * @param hasSession whether there is a session with whom it says to be
     * @throws Overloaded if more new ones come than may
     */
    void greeted(Guest guest, boolean hasSession) {
        synchronized (this) {
            if (!(hasSession ? known : strangers).counts()) {
                throw new Overloaded("more new connections are made than weir.max.handshake-rate=" + rate
                        + " in a second; try again");
            }
            if (silent.remove(guest)) {
                greeted.add(guest);
            }
        }
    }

    /** So many in a second. */
    private final class Rate {

        /** Those that may come at once, in units of one by a second. */
        private long credit = rate * SECOND;

        private long counted = nanos.getAsLong();

        boolean counts() {
            long now = nanos.getAsLong();
            long passed = Math.min(now - counted, SECOND);
            counted = now;
            credit = Math.min(credit + passed * rate, rate * SECOND);
            if (credit < SECOND) {
                return false;
            }
            credit -= SECOND;
            return true;
        }
    }

    /** It has proved who it is. */
    synchronized void proved(Guest guest) {
        if (greeted.remove(guest)) {
            proved.add(guest);
        }
    }

    /** It is a session, or gone. */
    synchronized void left(Guest guest) {
        silent.remove(guest);
        greeted.remove(guest);
        proved.remove(guest);
    }

    synchronized int count() {
        return silent.size() + greeted.size() + proved.size();
    }
}
