package io.weir.channel;

import io.weir.core.Loop;
import io.weir.core.Overloaded;
import io.weir.path.Logs;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Bounds how many accepted connections are on their way to become sessions, and how many new ones become that in a
 * second. Any thread may call.
 *
 * <p>Whoever connects is let in: if there is no room, somebody leaves who has proved nothing. Those who have said
 * nothing may fill half of the room, and then it is one of them; otherwise it is one who has said HELLO. It is one of
 * whom there are the most from where they come, and of those the first. So those who only stand in the door can't keep
 * it shut, whatever they do there, and those from one place take each other's room: a peer needs the time of half a
 * room of others to say HELLO, which it does at once, and of another half to prove itself.
 *
 * <p>The rate counts who comes in, and not who only says so. So where something has to be proved, whoever proves
 * nothing can't use it up. Where nothing has to be, everybody comes in; then {@link HandshakeRate} keeps those from one
 * place from using up what others need. Those who have a session here have a rate of their own, so that a session that
 * needs another connection does not compete with those who have none.
 */
final class Doorkeeper {

    private static final Logger LOG = Logs.NODE;

    /** An accepted connection that is no session yet. */
    interface Guest {
        Loop loop();

        /** Where it comes from, so that those from one place are known for that. */
        Origin origin();

        /** Leaves, for this reason. On its loop. */
        void leave(Overloaded reason);
    }

    private final int room;
    private final int rate;
    private final Set<Guest> silent = new LinkedHashSet<>();
    private final Set<Guest> greeted = new LinkedHashSet<>();
    private final Set<Guest> proved = new HashSet<>();

    private final HandshakeRate strangers;
    /** Those who have a session here can't come without any bound either. */
    private final HandshakeRate known;

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
        this.strangers = new HandshakeRate(rate, nanos);
        this.known = new HandshakeRate(rate, nanos);
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
                other = firstOfMost(from);
                from.remove(other);
            }
            silent.add(guest);
        }
        if (other != null) {
            sendAway(other);
        }
        return true;
    }

    private static Guest firstOfMost(Set<Guest> guests) {
        Map<Origin, List<Guest>> byOrigin =
                guests.stream().collect(Collectors.groupingBy(Guest::origin, LinkedHashMap::new, Collectors.toList()));
        return Collections.max(byOrigin.values(), Comparator.comparing(List::size))
                .get(0);
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

    /** It has said HELLO. */
    synchronized void greeted(Guest guest) {
        if (silent.remove(guest)) {
            greeted.add(guest);
        }
    }

    /**
     * It has proved what has to be proved.
     *
     * @param hasSession whether there is a session with this node
     * @param hasProved whether that was anything
     * @throws Overloaded if more new ones come than may
     */
    synchronized void admitted(Guest guest, boolean hasSession, boolean hasProved) {
        if (!(hasSession ? known : strangers).counts(guest.origin(), hasProved)) {
            throw new Overloaded(
                    "more new connections are made than weir.max.handshake-rate=" + rate + " in a second; try again");
        }
        if (hasProved && greeted.remove(guest)) {
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
