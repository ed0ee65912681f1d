package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Calls;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Repeat;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What one connection has lent and borrowed. An object stays lent until the peer has dropped it as often as it was
 * sent: one that is sent again while a drop is under way stays. Any thread.
 */
final class PeerReferences {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final int MOST = 4096;

    private final Peer peer;
    private final Map<Key, Lent> byObject = new HashMap<>();
    private final Map<Integer, Lent> byNumber = new HashMap<>();
    private final Map<Integer, Lease> leases = new HashMap<>();
    /** What is to be given back: how often each of these was received. One goes at a time, as the peer takes them. */
    private final Map<Integer, Integer> drops = new HashMap<>();
    /** One is on its way, or will be soon. */
    private boolean dropping;

    private int latest;
    private boolean over;

    PeerReferences(Peer peer) {
        this.peer = peer;
    }

    /** An object, by its identity, in the place of one type. */
    private static final class Key {

        private final Object object;
        private final ReferencePlace place;

        Key(Object object, ReferencePlace place) {
            this.object = object;
            this.place = place;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // An object is passed, not what it equals.
        public boolean equals(@Nullable Object other) {
            return other instanceof Key it && it.object == object && it.place.equals(place);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object) * 31 + place.type().hashCode();
        }
    }

    private static final class Lent {

        private final int number;
        private final Key key;
        private final Served served;
        private int sent;

        Lent(int number, Key key, Served served) {
            this.number = number;
            this.key = key;
            this.served = served;
        }
    }

    /** The number to be sent for an object. */
    int lend(Object object, ReferencePlace place) {
        if (RemoteProxy.bindings(object) instanceof Borrowed it && it.isOf(peer)) {
            return -it.number();
        }
        synchronized (this) {
            Key key = new Key(object, place);
            Lent lent = byObject.get(key);
            if (lent == null) {
                refuseBeyond(byObject.size());
                lent = new Lent(
                        freeNumber(), key, new Served(place.contract(), object, References.PORT, place.terms()));
                keep(lent);
            }
            lent.sent++;
            return lent.number;
        }
    }

    /** Of a connection that has ended nobody will ever drop anything. */
    private void keep(Lent lent) {
        if (!over) {
            byObject.put(lent.key, lent);
            byNumber.put(lent.number, lent);
        }
    }

    /** The connection has ended. A program that still has a proxy of it keeps nothing else. */
    synchronized void end() {
        over = true;
        byObject.clear();
        byNumber.clear();
        leases.clear();
        drops.clear();
    }

    private int freeNumber() {
        do {
            latest = latest == Integer.MAX_VALUE ? 1 : latest + 1;
        } while (byNumber.containsKey(latest));
        return latest;
    }

    private void refuseBeyond(int count) {
        if (count >= MOST) {
            throw new Overloaded(tooMany(count));
        }
    }

    private String tooMany(int count) {
        return count + " objects are passed by reference between this node and " + peer.id()
                + " already: close the proxies that are not needed any more";
    }

    synchronized void takeBack(Object object, ReferencePlace place) {
        Lent lent = byObject.get(new Key(object, place));
        if (lent != null) {
            drop(lent, 1);
        }
    }

    /** The peer needs it no longer, as far as it has received it. */
    synchronized void drop(int number, int received) {
        Lent lent = byNumber.get(number);
        if (lent != null && received > 0) {
            drop(lent, received);
        }
    }

    private void drop(Lent lent, int count) {
        lent.sent -= count;
        if (lent.sent <= 0) {
            byNumber.remove(lent.number);
            byObject.remove(lent.key);
        }
    }

    /** What the peer may call under this number; null if there is nothing. */
    synchronized @Nullable Served lent(int number) {
        Lent lent = byNumber.get(number);
        return lent == null ? null : lent.served;
    }

    /** The object for a number that was received. */
    Object receive(int number, ReferencePlace place) {
        if (number > 0) {
            return borrow(number, place);
        }
        Served own = lent(-number);
        if (own == null || !place.type().isInstance(own.target())) {
            throw new ProtocolMismatch("object " + -number + " was never passed to " + peer.id() + ", or was closed");
        }
        return own.target();
    }

    /** A proxy can be closed, unless its interface means something else by that. */
    private static Class<?>[] closing(Class<?> type) {
        boolean own = Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals("close") && method.getParameterCount() == 0);
        return own ? new Class<?>[0] : new Class<?>[] {AutoCloseable.class};
    }

    private synchronized Object borrow(int number, ReferencePlace place) {
        Lease known = leases.get(number);
        Object there = known == null ? null : known.again();
        if (there != null) {
            return checked(there, place);
        }
        // A peer that does not take back what it has passed can't pass more.
        int held = leases.size() + drops.size();
        if (held >= MOST) {
            // The call that brought it has been executed, so that only an idempotent one may be repeated.
            throw new Overloaded(tooMany(held), null, Repeat.IDEMPOTENT);
        }
        Lease lease = new Lease(number, this::returned);
        Borrowed calls = new Borrowed(peer, place.contract(), lease);
        Object proxy = RemoteProxy.of(place.contract(), calls, place.terms(), closing(place.type()));
        lease.proxy(proxy);
        leases.put(number, lease);
        var unused = CLEANER.register(calls, lease);
        return proxy;
    }

    private Object checked(Object proxy, ReferencePlace place) {
        if (!place.type().isInstance(proxy)) {
            throw new ProtocolMismatch(proxy + " comes as a " + place.type().getName());
        }
        return proxy;
    }

    private void returned(Lease lease, int received) {
        boolean begins;
        synchronized (this) {
            leases.remove(lease.number(), lease);
            begins = add(lease.number(), received);
        }
        if (begins) {
            dropAll();
        }
    }

    /**
     * Informs the peer that an object is not needed here any more, as far as it was received. While it does not take
     * that of thousands of objects, it is not informed of more, and keeps them.
     */
    void giveBack(int number, int received) {
        if (add(number, received)) {
            dropAll();
        }
    }

    /** Whether it is the first one. */
    private synchronized boolean add(int number, int received) {
        if (over || (drops.size() >= MOST && !drops.containsKey(number))) {
            return false;
        }
        drops.merge(number, received, Integer::sum);
        boolean first = !dropping;
        dropping = true;
        return first;
    }

    private void dropAll() {
        var unused = Mono.defer(this::dropOne)
                // What can't be sent is lost, and does not keep the others.
                .onErrorComplete()
                .repeat(this::goesOn)
                .subscribe();
    }

    private synchronized boolean goesOn() {
        dropping = !drops.isEmpty();
        return dropping;
    }

    private Mono<Void> dropOne() {
        int number;
        int received;
        synchronized (this) {
            if (drops.isEmpty()) {
                return Mono.empty();
            }
            Iterator<Map.Entry<Integer, Integer>> first = drops.entrySet().iterator();
            Map.Entry<Integer, Integer> one = first.next();
            number = one.getKey();
            received = one.getValue();
            first.remove();
        }
        try {
            return Calls.tell(peer, References.PORT, drop(peer, number, received));
        } catch (OutOfMemoryError e) {
            // Reactor would let it through, and nothing would be given back any more.
            return Mono.error(new Overloaded("there is no memory to give something back to " + peer.id()));
        }
    }

    private static Message drop(Peer peer, int number, int received) {
        ByteBuf request = peer.allocator().buffer();
        CallLayout.writeHeader(request, CallLayout.DROP, 0, 0, number);
        request.writeIntLE(received);
        return Message.of(request);
    }
}
