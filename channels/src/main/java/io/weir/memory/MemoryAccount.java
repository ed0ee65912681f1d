package io.weir.memory;

import io.weir.core.Loop;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The one account of the memory that a node keeps on behalf of others: whatever is kept for a peer, or promised to it
 * as credit, is taken from here first. So credit is never more than there is, and a peer that keeps the rules is slowed
 * down, but never refused what it was promised. Any thread may call.
 *
 * <p>What remains is shared so that nobody can take it all, without a number that would have to be set:
 *
 * <pre>
 *   node      total
 *   identity  at most 3/4 of what other identities have left
 *             3/4 of these for the peers that it has: the last quarter is for peers to come. Of that, 5/8 may be kept,
 *             and 5/8 lent to long messages, so that whatever peers keep there is something to be lent, and the other
 *             way round
 *   peer      {@link #GUARANTEED}, set aside when it connects; beyond that at most half of what the other peers of its
 *             identity have left to be kept, and half of what they have left to be lent. If nothing is lent, one may
 *             have 3/4 of that
 *   channel   an eighth of what its peer has left, of the half of the peer's share that is for windows; the other half
 *             is for the least that a channel needs, and for everything that is not a window
 * </pre>
 *
 * <p>An identity is a certificate's principal; without one, everybody who comes from the same place and has proved as
 * much.
 */
public final class MemoryAccount {

    /** What a session and its link cost by themselves: queues, parsers and socket buffers. */
    public static final long PEER = 64 << 10;

    /** The least of what a session must be able to keep until it is confirmed. */
    public static final long UNCONFIRMED = 512 << 10;

    /** What a peer always has: these, and enough for a dozen channels at their least with requests and answers. */
    public static final long GUARANTEED = PEER + UNCONFIRMED + (256 << 10);

    /** What a channel costs by itself. */
    public static final int CHANNEL = 2 << 10;

    /** What a message costs beside its content: its objects, and what its buffer is rounded up by. */
    public static final int ITEM = 512;

    /** What a peer's value may take for a moment without being in the account: one at a time for each loop. */
    public static final int MOMENT = 64 << 10;

    private final long total;
    private final long lendable;
    private final Map<Object, Owner> owners = new HashMap<>();
    /** Those who wait to be lent something, in order. */
    private final Set<Share> waiting = new LinkedHashSet<>();

    private final Map<MemoryUse, Long> uses = new EnumMap<>(MemoryUse.class);
    private long used;
    private long lent;

    /**
     * Nothing is taken yet.
     *
     * @param total bytes, for everything
     * @param lendable bytes of these that messages longer than their windows may have at once
     */
    public MemoryAccount(long total, long lendable) {
        this.total = total;
        this.lendable = lendable;
        for (MemoryUse use : MemoryUse.values()) {
            uses.put(use, 0L);
        }
    }

    /** Whether so many further peers of this identity may come. */
    public synchronized boolean hasRoomFor(Object identity, long peers) {
        Owner owner = owners.get(identity);
        long its = owner == null ? 0 : owner.used;
        return its + peers * GUARANTEED <= ofIdentity(its);
    }

    /** A further peer's share, whether or not there is room; it is to be {@link Share#close closed}. */
    public synchronized Share share(Object identity) {
        Owner owner = owners.computeIfAbsent(identity, Owner::new);
        Share share = new Share(owner);
        charge(owner, GUARANTEED);
        return share;
    }

    public synchronized MemoryStats stats() {
        return new MemoryStats(total, used, uses);
    }

    /** Bytes that messages longer than their windows have now. */
    public synchronized long lent() {
        return lent;
    }

    long lendable() {
        return lendable;
    }

    /** What one message may have at most, beyond its window, if nobody else has anything. */
    public long longestLease() {
        return Math.min(lendable, total / 4 * 3 / 4 * 3 / 8 * 5 / 4 * 3);
    }

    private void charge(Owner owner, long bytes) {
        used += bytes;
        owner.used += bytes;
    }

    /** What an identity may have that has this much. */
    private long ofIdentity(long its) {
        return (total - (used - its)) / 4 * 3;
    }

    /** What the peers that it has may keep, and as much again may be lent to them. */
    private long ofPeers(long its) {
        return ofIdentity(its) / 4 * 3 / 8 * 5;
    }

    /**
     * Lends to those who wait: one message of each in turn. One who finds no room holds up his own further messages
     * only. Looks at each of them, and not at all that he waits for: a peer has thousands of channels.
     */
    private List<Lease> lendToWaiting() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Lease> granted = new ArrayList<>(0);
        boolean more = true;
        while (more) {
            more = false;
            for (Iterator<Share> shares = waiting.iterator(); shares.hasNext(); ) {
                Share share = shares.next();
                Lease first = share.waiting.iterator().next();
                if (share.lend(first.bytes)) {
                    granted.add(first);
                    share.waiting.remove(first);
                    more = true;
                    if (share.waiting.isEmpty()) {
                        shares.remove();
                    }
                }
            }
        }
        return granted;
    }

    private void tell(List<Lease> granted) {
        for (Lease each : granted) {
            try {
                each.loop.execute(each.granted);
            } catch (RejectedExecutionException e) {
                // Its session has ended with the loop.
                each.share.giveBackLease(each.bytes);
            }
        }
    }

    /** Who has a share. Guarded by the account. */
    private static final class Owner {

        final Object identity;
        long used;
        /** How much of that is lent. */
        long lent;

        int shares;
        /** How many of its peers have something for which there was no memory. */
        int beyond;

        Owner(Object identity) {
            this.identity = identity;
        }
    }

    /** One who waits to be lent something. */
    public static final class Lease {

        private final Share share;
        private final long bytes;
        private final Loop loop;
        private final Runnable granted;

        private Lease(Share share, long bytes, Loop loop, Runnable granted) {
            this.share = share;
            this.bytes = bytes;
            this.loop = loop;
            this.granted = granted;
        }
    }

    /** A peer's part of the account. What is taken is to be given back once, also after the share was closed. */
    public final class Share {

        private final Owner owner;
        private long taken;
        /** How much of that is beyond the least: it is not a part of what was set aside. */
        private long extra;

        /** What it waits to be lent, in order. */
        private final Set<Lease> waiting = new LinkedHashSet<>();

        /** What its channels have at their least. */
        private long leastOfChannels;

        private long leased;
        private boolean closed;
        /** Whether there was room for a moment when the peer took or gave something last. */
        private volatile boolean hasMoment = true;

        private Share(Owner owner) {
            this.owner = owner;
            owner.shares++;
        }

        /** Who shares with whom. */
        public Object identity() {
            return owner.identity;
        }

        /** Of the whole account. */
        public long total() {
            return total;
        }

        /** What it counts with: at least what was set aside for it. */
        private long counted() {
            return closed ? taken : extra + Math.max(GUARANTEED, taken - extra);
        }

        /** What this peer may keep. */
        private long limit() {
            long others = owner.used - owner.lent - counted();
            return Math.max(GUARANTEED, (ofPeers(owner.used) - others) / 2);
        }

        /** Whether so much is within what was set aside, or within what there is. */
        private boolean fits(long bytes) {
            long least = taken - extra + bytes;
            return least <= GUARANTEED || extra + least <= limit();
        }

        /** What was set aside for the peer, and three eighths of what it may have, are for other uses. */
        private boolean fitsExtra(long bytes) {
            return taken + bytes <= limit() / 8 * 5;
        }

        private void add(MemoryUse use, long bytes, long ofThatExtra) {
            long before = counted();
            taken += bytes;
            extra += ofThatExtra;
            if (use == MemoryUse.WINDOWS) {
                leastOfChannels += bytes - ofThatExtra;
            }
            charge(owner, counted() - before);
            uses.merge(use, bytes, Long::sum);
            boolean moment = fits(MOMENT);
            if (moment != hasMoment) {
                hasMoment = moment;
            }
        }

        private boolean takeIf(boolean fits, MemoryUse use, long bytes, long ofThatExtra) {
            if (fits) {
                add(use, bytes, ofThatExtra);
            }
            return fits;
        }

        /**
         * Bytes that a value of the peer's may take for a moment, before it is known whether it has to be taken for
         * longer; it is taken in any case then. None where the peer had no room for them when it took or gave something
         * last: so it can go beyond what it may have by one moment at most. Takes no lock.
         */
        public long moment() {
            return hasMoment ? MOMENT : 0;
        }

        /** Takes this much, or nothing. */
        public boolean tryTake(MemoryUse use, long bytes) {
            synchronized (MemoryAccount.this) {
                return takeIf(fits(bytes), use, bytes, 0);
            }
        }

        /**
         * Takes this much, as extra, or nothing: what was set aside for the peer, and three eighths of what it may
         * have, stay for other uses.
         */
        public boolean tryTakeExtra(MemoryUse use, long bytes) {
            synchronized (MemoryAccount.this) {
                return takeIf(fitsExtra(bytes), use, bytes, bytes);
            }
        }

        /** Takes what is there already, as extra. */
        public void takeExtra(MemoryUse use, long bytes) {
            synchronized (MemoryAccount.this) {
                add(use, bytes, bytes);
            }
        }

        /**
         * Takes what is there already, as extra, and as long as its identity has no more than it may; beyond what the
         * peer may have, if need be. Takes nothing otherwise.
         */
        public boolean takeOfIdentity(MemoryUse use, long bytes) {
            synchronized (MemoryAccount.this) {
                return takeIf(isForIdentity(bytes), use, bytes, bytes);
            }
        }

        /** Whether its identity may have so much more. */
        public boolean isForIdentity(long bytes) {
            synchronized (MemoryAccount.this) {
                return owner.used + bytes <= ofIdentity(owner.used);
            }
        }

        /** Something of this peer's is here now for which there was no memory, or is no longer. */
        public void beyond(boolean now) {
            synchronized (MemoryAccount.this) {
                owner.beyond += now ? 1 : -1;
            }
        }

        /** Whether some peer of its identity has something for which there was no memory. */
        public boolean isBeyond() {
            synchronized (MemoryAccount.this) {
                return owner.beyond > 0;
            }
        }

        /** Whether there is any extra left to be taken. */
        public boolean hasExtra() {
            synchronized (MemoryAccount.this) {
                return fitsExtra(0);
            }
        }

        /** Whether the peer keeps no more than it may, these bytes aside. */
        public boolean isWithin(long aside) {
            synchronized (MemoryAccount.this) {
                return fits(-aside);
            }
        }

        /** Takes what is there already, and can't be refused any more. */
        public void take(MemoryUse use, long bytes) {
            synchronized (MemoryAccount.this) {
                add(use, bytes, 0);
            }
        }

        /**
         * Takes as much as is fair for one of many.
         *
         * @return between {@code least} and {@code most}; what is beyond the least is extra. 0 if there is not even the
         *     least
         */
        public long takeSome(MemoryUse use, long least, long most) {
            synchronized (MemoryAccount.this) {
                long limit = limit();
                long fair = (limit / 2 - taken) / 8;
                long bytes = Math.max(least, Math.min(most, fair));
                if (bytes <= 0 || !(fits(least) || isReserved(use, least, limit))) {
                    return 0;
                }
                if (taken + bytes > limit) {
                    bytes = least;
                }
                add(use, bytes, bytes - least);
                return bytes;
            }
        }

        /**
         * Whatever else a peer has, there is an eighth of its share for channels at their least, and their first
         * requests.
         */
        private boolean isReserved(MemoryUse use, long least, long limit) {
            return (use == MemoryUse.WINDOWS || use == MemoryUse.REQUESTS) && leastOfChannels + least <= limit / 8;
        }

        public void give(MemoryUse use, long bytes) {
            give(use, bytes, 0);
        }

        /**
         * Gives back what was taken.
         *
         * @param ofThatExtra how much of it is beyond the least
         */
        public void give(MemoryUse use, long bytes, long ofThatExtra) {
            if (bytes == 0) {
                return;
            }
            List<Lease> granted;
            synchronized (MemoryAccount.this) {
                if (bytes < 0 || bytes > taken || ofThatExtra < 0 || ofThatExtra > extra) {
                    throw new IllegalStateException("gave back " + bytes + " bytes of " + taken + " taken, and "
                            + ofThatExtra + " of " + extra + " beyond the least");
                }
                add(use, -bytes, -ofThatExtra);
                forgetOwner();
                granted = lendToWaiting();
            }
            tell(granted);
        }

        /** What one message may have at most, beyond its window, if nobody else has anything. */
        public long longestLease() {
            return MemoryAccount.this.longestLease();
        }

        /**
         * Lends memory to a message that is longer than its window: runs {@code granted} on the loop as soon as there
         * is enough; at once, and returns null, if there is now.
         */
        @Nullable
        public Lease lease(long bytes, Loop loop, Runnable granted) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("nothing is lent by " + bytes + " bytes");
            }
            synchronized (MemoryAccount.this) {
                if (!waiting.isEmpty() || !lend(bytes)) {
                    Lease lease = new Lease(this, bytes, loop, granted);
                    waiting.add(lease);
                    MemoryAccount.this.waiting.add(this);
                    return lease;
                }
            }
            granted.run();
            return null;
        }

        private boolean lend(long bytes) {
            long all = ofPeers(owner.used);
            // One may have more than its share, as it is given back; but not so much that others had nothing meanwhile.
            boolean fits = lent + bytes <= lendable
                    && (owner.lent == 0
                            ? bytes <= all / 4 * 3
                            : leased + bytes <= (Math.min(all, lendable) - (owner.lent - leased)) / 2);
            if (fits) {
                addLent(bytes);
            }
            return fits;
        }

        private void addLent(long bytes) {
            lent += bytes;
            owner.lent += bytes;
            leased += bytes;
            charge(owner, bytes);
            uses.merge(MemoryUse.LONG_MESSAGES, bytes, Long::sum);
        }

        /** Whether somebody waits, although nothing that will be given back is lent to anybody. */
        public boolean nothingIsLent() {
            return lent() == 0;
        }

        /** Whoever waits does so no longer. Does nothing if it was granted: then what was lent is to be given back. */
        public void cancel(Lease lease) {
            synchronized (MemoryAccount.this) {
                if (waiting.remove(lease) && waiting.isEmpty()) {
                    MemoryAccount.this.waiting.remove(this);
                }
            }
        }

        /**
         * Takes what is there already, as if it were lent: where it is more than may be lent, nothing further is until
         * it was given back.
         */
        public void lendAnyway(long bytes) {
            synchronized (MemoryAccount.this) {
                addLent(bytes);
            }
        }

        public void giveBackLease(long bytes) {
            if (bytes == 0) {
                return;
            }
            List<Lease> granted;
            synchronized (MemoryAccount.this) {
                if (bytes < 0 || bytes > leased) {
                    throw new IllegalStateException("gave back " + bytes + " bytes of " + leased + " lent");
                }
                addLent(-bytes);
                forgetOwner();
                granted = lendToWaiting();
            }
            tell(granted);
        }

        /** The peer has gone: nothing is set aside for it any more. */
        public void close() {
            List<Lease> granted;
            synchronized (MemoryAccount.this) {
                if (closed) {
                    return;
                }
                waiting.clear();
                MemoryAccount.this.waiting.remove(this);
                long before = counted();
                closed = true;
                charge(owner, taken - before);
                owner.shares--;
                forgetOwner();
                granted = lendToWaiting();
            }
            tell(granted);
        }

        private void forgetOwner() {
            if (owner.shares == 0 && owner.used == 0) {
                owners.remove(owner.identity, owner);
            }
        }
    }
}
