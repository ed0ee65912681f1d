package io.weir.transport.dapl;

import static io.weir.transport.dapl.DaplLibrary.done;
import static io.weir.transport.dapl.DaplLibrary.freed;
import static io.weir.transport.dapl.DaplLibrary.functions;

import io.weir.core.PeerUnavailable;
import io.weir.transport.dapl.DaplLayout.Dispatcher;
import io.weir.transport.dapl.DaplLayout.EndpointAttributes;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a connection has of the library, freed once, in reverse order.
 *
 * <p>uDAPL has no descriptor that could be watched. A notifier is told by the provider's thread that something has
 * happened, and calls a function of ours: that of the C library which writes to an event descriptor, with this
 * descriptor as its first argument. What it writes is the second one, a handle, and means nothing.
 */
final class DaplEndpoint implements AutoCloseable {

    /** Events of a connection: it is there, it is gone, and nobody asks for more. */
    private static final int CONNECTION_EVENTS = 8;

    private static final String TOO_MANY =
            "; the device may have no more for us: look at rdma resource, and at the limit of open files (ulimit -n)";

    private final DaplAdapter adapter;
    /** What frees what was made, the last one first. */
    private final Deque<Runnable> made = new ArrayDeque<>();

    private final Descriptor event;
    private final long agent;
    private final long notifier;
    private final long transfers;
    private final long connections;
    private final long handle;
    /** The notifier names the queue that has something, and all are looked at anyway. */
    private final ByteBuffer which = Structures.allocate(Long.BYTES);

    private boolean closed;

    /**
     * Makes them.
     *
     * @param receives how many slots may be ready
     * @param requests how many messages and reads may be under way
     * @throws PeerUnavailable if the provider refuses
     */
    DaplEndpoint(DaplDomain domain, int receives, int requests) {
        this.adapter = domain.adapter();
        this.event = newEvent();
        made.push(event::close);
        try {
            synchronized (adapter) {
                agent = Posix.address("eventfd_write");
                notifier = made(
                        "a notifier",
                        out -> functions().dat_cno_create(adapter.handle(), event.number(), agent, out),
                        functions()::dat_cno_free);
                transfers = dispatcher(receives + requests, notifier, Dispatcher.TRANSFERS);
                // The provider's thread is not to be woken by each event while nobody sleeps.
                done("events of transfers can't be held back", functions().dat_evd_disable(transfers));
                connections = dispatcher(CONNECTION_EVENTS, notifier, Dispatcher.CONNECTIONS);
                ByteBuffer attributes = attributes(receives, requests);
                handle = made(
                        "an endpoint",
                        out -> functions()
                                .dat_ep_create(
                                        adapter.handle(),
                                        domain.handle(),
                                        transfers,
                                        transfers,
                                        connections,
                                        attributes,
                                        out),
                        functions()::dat_ep_free);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Descriptor newEvent() {
        try {
            return Posix.event();
        } catch (NativeFailure e) {
            throw new PeerUnavailable("there is no descriptor for the events of a connection: " + e.getMessage(), e);
        }
    }

    private interface Making {
        int into(ByteBuffer handle);
    }

    private interface Freeing {
        int free(long handle);
    }

    private long made(String what, Making making, Freeing freeing) {
        ByteBuffer out = Structures.allocate(Long.BYTES);
        done(
                "the adapter " + adapter.name() + " gives us no " + what.substring(what.indexOf(' ') + 1),
                making.into(out),
                TOO_MANY);
        long made = out.getLong(0);
        this.made.push(() -> freed(what, freeing.free(made)));
        return made;
    }

    private long dispatcher(int events, long notified, int flags) {
        return made(
                "a queue of events",
                out -> functions().dat_evd_create(adapter.handle(), events, notified, flags, out),
                functions()::dat_evd_free);
    }

    private ByteBuffer attributes(int receives, int requests) {
        ByteBuffer attributes = Structures.allocate(EndpointAttributes.BYTES);
        attributes.putInt(EndpointAttributes.RECEIVES, receives);
        attributes.putInt(EndpointAttributes.REQUESTS, requests);
        attributes.putInt(EndpointAttributes.RECEIVE_PIECES, 1).putInt(EndpointAttributes.REQUEST_PIECES, 1);
        attributes.putInt(EndpointAttributes.READS_SERVED, adapter.maxReadsServed());
        attributes.putInt(EndpointAttributes.READS, adapter.maxReads());
        return attributes.putInt(EndpointAttributes.READ_PIECES, 1).putInt(EndpointAttributes.WRITE_PIECES, 1);
    }

    DaplAdapter adapter() {
        return adapter;
    }

    /** The endpoint. */
    long handle() {
        return handle;
    }

    /** Where the events of transfers are. */
    long transfers() {
        return transfers;
    }

    /** Where the events of the connection are. */
    long connections() {
        return connections;
    }

    /** What becomes readable when something has happened since {@link #awaitEvents}. */
    Descriptor event() {
        return event;
    }

    /**
     * From here on an event makes the descriptor readable, and one that came before need not have: who calls this looks
     * once more afterwards, for those of transfers and for those of the connection.
     */
    void awaitEvents() {
        // The notifier calls its function once, and then no more before it is told to and was asked what had happened.
        done("the notifier has lost its agent", functions().dat_cno_modify_agent(notifier, event.number(), agent));
        int asked = functions().dat_cno_wait(notifier, 0, which);
        if (asked != DaplReturn.SUCCESS && !isNothing(asked)) {
            done("the notifier does not say what has happened", asked);
        }
        done("events of transfers are not told", functions().dat_evd_enable(transfers));
    }

    private static boolean isNothing(int result) {
        int type = DaplReturn.type(result);
        return type == DaplReturn.QUEUE_EMPTY
                || type == DaplReturn.TIMEOUT_EXPIRED
                || type == DaplReturn.INTERRUPTED_CALL;
    }

    /** The provider's thread is left alone from here on. */
    void awake() {
        done("events of transfers can't be held back", functions().dat_evd_disable(transfers));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            synchronized (adapter) {
                made.forEach(Runnable::run);
            }
        }
    }
}
