package io.weir.channel;

import io.weir.core.Loop;
import io.weir.memory.MemoryUse;
import io.weir.path.Logs;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Everything that any peer sends to a port, by {@link Peer#tell}, {@link Peer#ask} or a channel, in one place. A
 * {@code Flux} of all of it; {@link #matching} selects.
 *
 * <p>Each message goes to the first subscriber, in the order of subscription, that has demand and wants it. What nobody
 * wants stays, also when its sender has gone: the messages of a peer in their order, those of several peers in turn.
 *
 * <p>{@code weir.mailbox.items} is what a mailbox keeps. Peers share it, so that no peer takes all places from the
 * others: a peer alone gets three eighths, and each one 64 in any case. A sender that has used its share is not asked
 * for more until something of it was taken out. So what a subscriber wants does not come as long as the share of its
 * sender is full of what nobody wants. So it is with bytes: a sender that has more than {@code weir.window.bytes} in a
 * mailbox is not asked for more either.
 *
 * <p>Messages are delivered on a loop of the node or on the thread that requests, one after the other. The port is
 * served until this is disposed.
 */
public final class Mailbox extends Flux<Received> implements Disposable {

    /** What is done before others have their turn: about a millisecond's worth, where a look at a message is 1. */
    private static final int WORK = 8192;

    /** What a delivery counts. */
    private static final int DELIVERY = 8;

    /** So many bytes of control data count 1 when a message is compared, by powers of two. */
    private static final int CONTROL_SHIFT = 6;

    private final String port;
    private final MailboxPlaces places;
    /** Goes on with what is too much for one turn. */
    private final Loop loop;

    private final AtomicInteger work = new AtomicInteger();
    private final AtomicLong subscriptions = new AtomicLong();
    private final Queue<Received> arrived = new ConcurrentLinkedQueue<>();
    /** Subscribers that are new, have demand where they had none, or want nothing any more. */
    private final Queue<Subscriber> changed = new ConcurrentLinkedQueue<>();
    /** Guarded by itself. */
    private final Set<MailboxFeed> feeds = new LinkedHashSet<>();

    private volatile boolean disposed;
    /** The loop goes on in its next turn; nobody else does anything meanwhile. */
    private volatile boolean later;

    private Disposable serving = () -> {};

    // Of whoever drains.
    private final TreeSet<Received> messages = new TreeSet<>(
            Comparator.<Received>comparingLong(each -> each.turn).thenComparingLong(each -> each.arrival));
    private final BitSet slots = new BitSet();
    private final TreeSet<Subscriber> subscribers = new TreeSet<>();
    /** Those that have not looked at all messages yet. */
    private final PriorityQueue<Subscriber> looking = new PriorityQueue<>();

    private @Nullable Subscriber looks;
    private Iterator<Received> lookedAt = messages.iterator();
    /** The message that not all subscribers have looked at yet, and the last one that has. */
    private @Nullable Received fresh;

    private @Nullable Subscriber last;
    private long turn;
    private long arrivals;
    private int left = WORK;

    /** @param loop goes on with what is too much for one turn */
    Mailbox(String port, int capacity, Loop loop) {
        this.port = port;
        this.places = new MailboxPlaces(capacity);
        this.loop = loop;
    }

    /** Begins to serve the port. */
    Mailbox open(Ports ports) {
        serving = ports.serve(port, new Handler());
        return this;
    }

    /** Only messages that match; what does not stays for others. */
    public Flux<Received> matching(Match match) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Received> actual) {
                Mailbox.this.subscribe(match, actual);
            }
        };
    }

    @Override
    public void subscribe(CoreSubscriber<? super Received> actual) {
        subscribe(received -> true, actual);
    }

    private void subscribe(Match match, CoreSubscriber<? super Received> actual) {
        Subscriber subscriber = new Subscriber(match, actual, subscriptions.getAndIncrement());
        actual.onSubscribe(subscriber);
        if (subscriber.demand.get() == 0) {
            changed.add(subscriber);
            drain();
        }
    }

    /** How many messages wait. */
    public int size() {
        return places.taken();
    }

    /** Nothing comes from there any more. */
    void ended(MailboxFeed feed) {
        synchronized (feeds) {
            feeds.remove(feed);
        }
    }

    /** @param scarce there is no memory for more of its sender */
    void add(Received received, boolean scarce) {
        places.add(received.sender(), received.cost(), scarce);
        arrived.add(received);
        drain();
    }

    private void drain() {
        if (!later || disposed) {
            work();
        }
    }

    private void goOn() {
        later = false;
        work();
    }

    /** Does what there is to do; the first thread that comes does it for all. */
    private void work() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        for (int seen = 1; seen != 0; seen = work.addAndGet(-seen)) {
            seen = work.get();
            while (step()) {
                if (left <= 0) {
                    left = WORK;
                    later = true;
                    work.set(0);
                    NextTurn.run(loop, this::goOn);
                    return;
                }
            }
        }
    }

    /** Does a little, before what is less urgent; false if nothing is to be done. */
    private boolean step() {
        if (disposed) {
            return leave();
        }
        return change() || look() || compare() || goOnWithSenders();
    }

    private boolean change() {
        Subscriber next = changed.poll();
        if (next == null) {
            return false;
        }
        left--;
        if (next.broken != null || next.cancelled) {
            next.end();
        } else if (!next.over) {
            subscribers.add(next);
            if (!next.looks) {
                next.looks = true;
                looking.add(next);
            }
        }
        return true;
    }

    /** A subscriber that has demand now looks at a message that it has not seen. */
    private boolean look() {
        Subscriber subscriber = looks;
        if (subscriber == null) {
            subscriber = looking.poll();
            if (subscriber == null) {
                return false;
            }
            looks = subscriber;
            lookedAt = messages.iterator();
        }
        if (!lookedAt.hasNext() || !subscriber.hasDemand()) {
            subscriber.looks = false;
            looks = null;
            return true;
        }
        Received received = lookedAt.next();
        if (takes(subscriber, received)) {
            lookedAt.remove();
            deliver(received, subscriber);
        }
        return true;
    }

    /** All subscribers that have demand look at a message that has just come. */
    private boolean compare() {
        Received received = fresh;
        if (received == null) {
            received = arrived.poll();
            if (received == null) {
                return false;
            }
            keep(received);
            fresh = received;
            last = null;
        }
        Subscriber subscriber = last == null ? first() : subscribers.higher(last);
        if (subscriber == null) {
            fresh = null;
            return true;
        }
        last = subscriber;
        if (takes(subscriber, received)) {
            messages.remove(received);
            deliver(received, subscriber);
        }
        return true;
    }

    private @Nullable Subscriber first() {
        return subscribers.isEmpty() ? null : subscribers.first();
    }

    private void keep(Received received) {
        received.turn = received.sender().nextTurn(turn);
        received.arrival = ++arrivals;
        received.slot = slots.nextClearBit(0);
        slots.set(received.slot);
        messages.add(received);
        for (Subscriber each : subscribers) {
            each.rejected.clear(received.slot);
        }
        left -= subscribers.size() / DELIVERY;
    }

    /** Each subscriber looks at each message once. */
    private boolean takes(Subscriber subscriber, Received received) {
        left--;
        if (!subscriber.hasDemand() || subscriber.rejected.get(received.slot)) {
            return false;
        }
        left -= received.message().control().encoded().length >> CONTROL_SHIFT;
        boolean takes = false;
        try {
            takes = subscriber.match.test(received);
        } catch (Throwable t) {
            subscriber.fail(t);
        }
        if (!takes) {
            subscriber.rejected.set(received.slot);
        }
        return takes;
    }

    private void deliver(Received received, Subscriber to) {
        left -= DELIVERY;
        slots.clear(received.slot);
        turn = Math.max(turn, received.turn);
        if (received.equals(fresh)) {
            fresh = null;
        }
        taken(received);
        to.delivered();
        try {
            to.actual.onNext(received);
        } catch (Throwable t) {
            // What Reactor calls fatal is handed on by it. The others still have theirs.
            to.fail(t);
        }
    }

    private void taken(Received received) {
        MailboxSender sender = received.sender();
        sender.session().memory().give(MemoryUse.MAILBOXES, received.cost());
        places.remove(sender, received.cost());
    }

    private boolean goOnWithSenders() {
        MailboxSender next = places.next();
        if (next == null) {
            return false;
        }
        left--;
        next.goOn();
        return true;
    }

    /** Nobody wants anything any more. */
    private boolean leave() {
        for (Received each; (each = arrived.poll()) != null; ) {
            taken(each);
            each.release();
        }
        messages.forEach(each -> {
            taken(each);
            each.release();
        });
        messages.clear();
        fresh = null;
        looks = null;
        looking.clear();
        for (Subscriber each; (each = changed.poll()) != null; ) {
            if (each.broken != null) {
                each.end();
            } else if (!each.over) {
                subscribers.add(each);
            }
        }
        List.copyOf(subscribers).forEach(Subscriber::end);
        return false;
    }

    /**
     * Serves the port no longer: senders, and who awaits an answer, fail with {@link io.weir.core.Refused}. Releases
     * what waits; completes the subscribers. Where a delivery is under way on another thread, that thread does both as
     * soon as the delivery is over.
     */
    @Override
    public void dispose() {
        List<MailboxFeed> open;
        synchronized (feeds) {
            if (disposed) {
                return;
            }
            disposed = true;
            open = List.copyOf(feeds);
        }
        serving.dispose();
        open.forEach(MailboxFeed::close);
        drain();
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }

    private final class Subscriber implements Subscription, Comparable<Subscriber> {

        final Match match;
        final CoreSubscriber<? super Received> actual;
        final long number;
        final AtomicLong demand = new AtomicLong();
        volatile boolean cancelled;
        /** Why it takes nothing more; its subscriber gets this. */
        volatile @Nullable Throwable broken;

        // Of whoever drains.
        /** Slots of messages that it does not want. */
        final BitSet rejected = new BitSet();

        boolean looks;
        boolean over;

        Subscriber(Match match, CoreSubscriber<? super Received> actual, long number) {
            this.match = match;
            this.actual = actual;
            this.number = number;
        }

        boolean hasDemand() {
            return demand.get() > 0 && !cancelled && broken == null;
        }

        void delivered() {
            if (demand.get() != Long.MAX_VALUE) {
                demand.decrementAndGet();
            }
        }

        void fail(Throwable reason) {
            broken = reason;
            changed.add(this);
        }

        void end() {
            if (over) {
                return;
            }
            over = true;
            subscribers.remove(this);
            Throwable reason = broken;
            try {
                if (cancelled) {
                    return;
                }
                if (reason == null) {
                    actual.onComplete();
                } else {
                    actual.onError(reason);
                }
            } catch (Throwable t) {
                Logs.PORTS.error("Who receives from the mailbox of port '{}' has failed", port, t);
            }
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                fail(new IllegalArgumentException(
                        "request(" + n + "): demand must be positive (Reactive Streams 3.9)"));
                drain();
            } else if (demand.getAndAccumulate(n, Operators::addCap) == 0) {
                changed.add(this);
                drain();
            }
        }

        @Override
        public void cancel() {
            if (!cancelled) {
                cancelled = true;
                changed.add(this);
                drain();
            }
        }

        @Override
        public int compareTo(Subscriber other) {
            return Long.compare(number, other.number);
        }
    }

    private final class Handler implements PortHandler {

        @Override
        public void opened(Channel channel, boolean requests) {
            MailboxFeed feed = new MailboxFeed(Mailbox.this, channel, places.opened(channel.session()));
            boolean begins;
            synchronized (feeds) {
                begins = !disposed && feeds.add(feed);
            }
            if (begins) {
                feed.start();
                drain();
            } else {
                feed.refuse();
            }
        }

        @Override
        public void closed() {
            dispose();
        }
    }
}
