package io.weir.channel;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who has how many of the places of a mailbox. Shared so that nobody can take them all from the others. Any thread may
 * call.
 *
 * <pre>
 *   mailbox   {@code weir.mailbox.items}
 *   identity  at most 3/4 of what other identities have left
 *   peer      at most half of what the other peers of its identity have left of that; but {@link #LEAST} in any case,
 *             so that whatever others have left there, its messages get in
 * </pre>
 *
 * <p>Bytes are bounded as well: what a peer has here counts in its share of the node's memory, and once it is more than
 * a window ({@code weir.window.bytes}), the peer has no place until some of it was taken out.
 *
 * <p>Messages of a peer that has gone count until they are taken out, for its identity. As long as these are more than
 * an identity may have, peers that come from there have no places: otherwise one could fill the mailbox, and the memory
 * that they all share, by coming again and again.
 */
final class MailboxPlaces {

    /** What each peer may have in a mailbox, or less if the mailbox is smaller. */
    static final int LEAST = 64;

    private final int capacity;
    private final Map<Object, Owner> owners = new HashMap<>();
    /** Those that have something for the mailbox, and no place for it. */
    private final Set<MailboxSender> waiting = new LinkedHashSet<>();

    private int taken;
    /** How many of those that wait are to be looked at, since a place has become free. */
    private int toLookAt;

    MailboxPlaces(int capacity) {
        this.capacity = capacity;
    }

    /** Those of one identity. Guarded by the places. */
    static final class Owner {

        private final Object identity;

        final Map<Session, MailboxSender> senders = new LinkedHashMap<>();
        int messages;
        /** How many of these are of peers that have no channel here any more. */
        int left;

        long leftBytes;

        private Owner(Object identity) {
            this.identity = identity;
        }
    }

    /** A peer has opened a channel to the mailbox. */
    synchronized MailboxSender opened(Session session) {
        Owner owner = owners.computeIfAbsent(session.memory().identity(), Owner::new);
        MailboxSender sender = owner.senders.get(session);
        if (sender == null) {
            sender = new MailboxSender(this, owner, session, former(owner, session));
            owner.senders.put(session, sender);
        } else if (sender.channels == 0) {
            owner.left -= sender.messages;
            owner.leftBytes -= sender.bytes;
            toLookAt = waiting.size();
        }
        if (sender.channels++ == 0) {
            admit(sender);
        }
        return sender;
    }

    /** The same peer as it was when it left something here. */
    private static @Nullable MailboxSender former(Owner owner, Session session) {
        MailboxSender found = null;
        for (MailboxSender each : owner.senders.values()) {
            if (each.channels == 0
                    && each.session().peerId().id().equals(session.peerId().id())) {
                found = each;
            }
        }
        return found;
    }

    /** One of its channels is no more. */
    synchronized void closed(MailboxSender sender) {
        Owner owner = sender.owner;
        if (--sender.channels == 0) {
            owner.left += sender.messages;
            owner.leftBytes += sender.bytes;
            sender.admitted = false;
            waiting.remove(sender);
            forgetIfGone(sender);
        }
    }

    private void forgetIfGone(MailboxSender sender) {
        Owner owner = sender.owner;
        if (sender.channels == 0 && sender.messages == 0) {
            owner.senders.remove(sender.session());
            if (owner.senders.isEmpty()) {
                owners.remove(owner.identity);
            }
        }
    }

    /**
     * Whether there is a place for a message of this sender. If not, it {@link MailboxSender#goOn goes on} when there
     * is one.
     */
    synchronized boolean hasPlaceFor(MailboxSender sender) {
        boolean has = has(sender);
        if (!has) {
            waiting.add(sender);
        }
        return has;
    }

    /** Places that an identity may have. */
    private long of(Owner owner) {
        return (capacity - (taken - owner.messages)) * 3L / 4;
    }

    /** Once it may have places, it keeps that as long as it has a channel, whatever others leave. */
    private void admit(MailboxSender sender) {
        Owner owner = sender.owner;
        sender.admitted |= owner.left == 0 || (owner.left < of(owner) && owner.leftBytes < sender.mostLeft());
    }

    private boolean has(MailboxSender sender) {
        admit(sender);
        if (!sender.admitted
                || sender.bytes > (sender.scarce ? 0 : sender.session().windowBytes())) {
            return false;
        }
        Owner owner = sender.owner;
        long ofSender = (of(owner) - (owner.messages - sender.messages)) / 2;
        return sender.messages < Math.max(Math.min(LEAST, capacity), ofSender);
    }

    /**
     * A message comes in.
     *
     * @param scarce there is no memory for more of its sender, until all that it has here was taken out
     */
    synchronized void add(MailboxSender sender, long bytes, boolean scarce) {
        taken++;
        sender.owner.messages++;
        sender.messages++;
        sender.bytes += bytes;
        sender.scarce |= scarce;
    }

    /** A message was taken out. */
    synchronized void remove(MailboxSender sender, long bytes) {
        Owner owner = sender.owner;
        taken--;
        owner.messages--;
        sender.messages--;
        sender.bytes -= bytes;
        sender.scarce &= sender.messages > 0;
        if (sender.channels == 0) {
            owner.left--;
            owner.leftBytes -= bytes;
            forgetIfGone(sender);
        }
        toLookAt = waiting.size();
    }

    /** The next one of those that wait that has a place now; null if none has. It waits no longer. */
    synchronized @Nullable MailboxSender next() {
        for (; toLookAt > 0 && !waiting.isEmpty(); toLookAt--) {
            Iterator<MailboxSender> first = waiting.iterator();
            MailboxSender sender = first.next();
            first.remove();
            if (has(sender)) {
                toLookAt--;
                return sender;
            }
            waiting.add(sender);
        }
        return null;
    }

    /** Messages that are there. */
    synchronized int taken() {
        return taken;
    }
}
