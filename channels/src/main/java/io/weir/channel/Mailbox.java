package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Overloaded;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
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
 * <p>Each message goes to the first subscriber, in the order of subscription, that has demand and wants it. What nobody wants
 * stays, in order, up to {@code weir.mailbox.items}; then senders are no longer asked for more. If the mailbox is full, and
 * those who wait want nothing of what is there, they fail with {@link Overloaded}, because nothing else could come in.
 *
 * <p>Messages are delivered on the loop of a peer or on the thread that requests, one after the other. The port is served until this is
 * disposed.
 */
public final class Mailbox extends Flux<Received> implements Disposable {

    private final String port;
    private final int capacity;
    private final AtomicInteger work = new AtomicInteger();

    // Guarded by this.
    private final ArrayDeque<Received> messages = new ArrayDeque<>();
    private final List<Subscriber> subscribers = new ArrayList<>();
    /** What came from each sender since it was last asked for more. */
    private final Map<MailboxFeed, Integer> owed = new HashMap<>();

    private final Set<MailboxFeed> feeds = new LinkedHashSet<>();

    private boolean disposed;

    private Disposable serving = () -> {};

    Mailbox(String port, int capacity) {
        this.port = port;
        this.capacity = capacity;
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
        Subscriber subscriber = new Subscriber(match, actual);
        actual.onSubscribe(subscriber);
        boolean over;
        synchronized (this) {
            over = disposed;
            if (!over) {
                subscribers.add(subscriber);
            }
        }
        if (over) {
            actual.onComplete();
        } else {
            drain();
        }
    }

    /** How many messages wait. */
    public synchronized int size() {
        return messages.size();
    }

    private synchronized boolean begin(MailboxFeed feed) {
        return !disposed && feeds.add(feed);
    }

    /** Nothing comes from there any more. */
    synchronized void ended(MailboxFeed feed) {
        feeds.remove(feed);
        owed.remove(feed);
    }

    void add(Received received) {
        boolean over;
        synchronized (this) {
            over = disposed;
            if (!over) {
                messages.add(received);
                received.feed().messages++;
                owed.merge(received.feed(), 1, Integer::sum);
            }
        }
        if (over) {
            received.taken();
            received.release();
        } else {
            drain();
        }
    }

    /** One of the senders has to wait from now on. */
    void look() {
        drain();
    }

    /** Delivers what can be, one at a time, whoever comes first doing it for all. */
    private void drain() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        while (seen != 0) {
            for (Delivery next; (next = nextDelivery()) != null; ) {
                deliver(next);
            }
            askForMore();
            failSome();
            seen = work.addAndGet(-seen);
        }
    }

    private static void deliver(Delivery next) {
        next.received.taken();
        try {
            next.to.actual.onNext(next.received);
        } catch (Throwable t) {
            // What Reactor calls fatal is handed on by it. The others still have theirs.
            next.to.broken = t;
        }
    }

    /** For each message that came, its sender may send another one, as long as the mailbox has room. */
    private void askForMore() {
        Map<MailboxFeed, Integer> asked;
        synchronized (this) {
            if (owed.isEmpty() || messages.size() >= capacity) {
                return;
            }
            asked = new HashMap<>(owed);
            if (feeds.size() > 1) {
                // Nobody takes all the room from the others.
                asked.keySet().removeIf(feed -> feed.messages > capacity - messages.size());
            }
            owed.keySet().removeAll(asked.keySet());
        }
        asked.forEach(MailboxFeed::more);
    }

    private synchronized @Nullable Delivery nextDelivery() {
        for (Iterator<Received> each = messages.iterator(); each.hasNext(); ) {
            Received received = each.next();
            Subscriber taker = takerOf(received);
            if (taker != null) {
                each.remove();
                received.feed().messages--;
                taker.demand -= taker.demand == Long.MAX_VALUE ? 0 : 1;
                return new Delivery(received, taker);
            }
        }
        return null;
    }

    private @Nullable Subscriber takerOf(Received received) {
        for (Subscriber subscriber : subscribers) {
            if (subscriber.takes(received)) {
                return subscriber;
            }
        }
        return null;
    }

    /** Those that are broken; and all that want more, if the mailbox is full of what nobody takes. */
    private void failSome() {
        List<Subscriber> failed = new ArrayList<>(0);
        synchronized (this) {
            // What has come since the last delivery may match.
            boolean full = messages.size() >= capacity;
            boolean stuck = (full || nobodyCanSend()) && messages.stream().allMatch(each -> takerOf(each) == null);
            for (Iterator<Subscriber> each = subscribers.iterator(); each.hasNext(); ) {
                Subscriber subscriber = each.next();
                if (stuck && subscriber.demand > 0 && subscriber.broken == null) {
                    subscriber.broken = new Overloaded("the mailbox of port '" + port + "' is full ("
                            + (full
                                    ? capacity + " messages, weir.mailbox.items"
                                    : "each sender has as many bytes there as its window, weir.window.bytes")
                            + "), and nothing in it matches");
                }
                if (subscriber.broken != null) {
                    each.remove();
                    failed.add(subscriber);
                }
            }
        }
        for (Subscriber each : failed) {
            try {
                each.actual.onError(Objects.requireNonNull(each.broken));
            } catch (Throwable t) {
                Ports.LOG.error("Who receives from the mailbox of port '{}' has failed", port, t);
            }
        }
    }

    /** Whether each of the senders has to wait until some of what it has sent was taken out. */
    private boolean nobodyCanSend() {
        return !feeds.isEmpty() && feeds.stream().allMatch(MailboxFeed::waits);
    }

    /**
     * Serves the port no longer: senders, and who awaits an answer, fail with {@link io.weir.core.Refused}. Releases what waits;
     * completes the subscribers.
     */
    @Override
    public void dispose() {
        List<Subscriber> told;
        List<Received> left;
        List<MailboxFeed> open;
        synchronized (this) {
            if (disposed) {
                return;
            }
            disposed = true;
            open = List.copyOf(feeds);
            feeds.clear();
            owed.clear();
            told = List.copyOf(subscribers);
            subscribers.clear();
            left = List.copyOf(messages);
            messages.clear();
        }
        serving.dispose();
        open.forEach(MailboxFeed::close);
        left.forEach(each -> {
            each.taken();
            each.release();
        });
        told.forEach(each -> each.actual.onComplete());
    }

    @Override
    public synchronized boolean isDisposed() {
        return disposed;
    }

    private record Delivery(Received received, Subscriber to) {}

    private final class Subscriber implements Subscription {

        final Match match;
        final CoreSubscriber<? super Received> actual;
        /** Guarded by the mailbox. */
        long demand;
        /** Why it takes nothing more, and is told so: what it or its match has thrown, or that the mailbox is full. */
        volatile @Nullable Throwable broken;

        Subscriber(Match match, CoreSubscriber<? super Received> actual) {
            this.match = match;
            this.actual = actual;
        }

        boolean takes(Received received) {
            if (demand == 0 || broken != null) {
                return false;
            }
            try {
                return match.test(received);
            } catch (Throwable t) {
                broken = t;
                return false;
            }
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                cancel();
                actual.onError(new IllegalArgumentException(
                        "request(" + n + "): demand must be positive (Reactive Streams 3.9)"));
                return;
            }
            synchronized (Mailbox.this) {
                demand = Operators.addCap(demand, n);
            }
            drain();
        }

        @Override
        public void cancel() {
            synchronized (Mailbox.this) {
                subscribers.remove(this);
            }
        }
    }

    private final class Handler implements PortHandler {

        @Override
        public void opened(Channel channel, boolean requests) {
            MailboxFeed feed = new MailboxFeed(Mailbox.this, channel);
            if (begin(feed)) {
                feed.start();
            } else {
                channel.refuse(ErrorCode.NO_SUCH_PORT, Ports.noLongerServed(port));
            }
        }

        @Override
        public void closed() {
            dispose();
        }
    }
}
