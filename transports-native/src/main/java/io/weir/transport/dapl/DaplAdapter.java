package io.weir.transport.dapl;

import static io.weir.transport.dapl.DaplLibrary.done;
import static io.weir.transport.dapl.DaplLibrary.freed;
import static io.weir.transport.dapl.DaplLibrary.functions;

import io.weir.core.PeerUnavailable;
import io.weir.transport.dapl.DaplLayout.AdapterAttributes;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An interface adapter that is open. Each link has its own: a provider that is not thread-safe must not be called by
 * two threads for one adapter at a time, and so two links never wait for each other. Where several threads may call for
 * one link, they do so under the lock of this object.
 *
 * <p>The provider opens the device once for all of them, and OFED's (libdaplofa 2.1.10 with librdmacm 44) loses two
 * descriptors each time the last one is closed. So one stays open for as long as the process lives.
 */
final class DaplAdapter implements AutoCloseable {

    /**
     * Errors of the adapter and its endpoints. Nobody takes them: OFED's provider calls a new LID or another subnet
     * manager a catastrophe as well, and a queue that was drained a broken endpoint, and tells no more. What ends a
     * connection is heard of by its own events.
     */
    private static final int ASYNC_EVENTS = 16;

    /** By name, those that stay open. */
    private static final Map<String, Long> KEPT = new ConcurrentHashMap<>();

    private final String name;
    private final long handle;
    private final DaplAddress address;
    private final int maxRequests;
    private final int maxEvents;
    private final int maxReads;
    private final int maxReadsServed;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DaplAdapter(String name, long handle, ByteBuffer attributes) {
        this.name = name;
        this.handle = handle;
        this.maxRequests = attributes.getInt(AdapterAttributes.MAX_REQUESTS);
        this.maxEvents = attributes.getInt(AdapterAttributes.MAX_EVENTS);
        this.maxReads = attributes.getInt(AdapterAttributes.MAX_READS);
        this.maxReadsServed = attributes.getInt(AdapterAttributes.MAX_READS_SERVED);
        this.address = address(attributes.getLong(AdapterAttributes.ADDRESS));
    }

    private DaplAddress address(long at) {
        DaplAddress found = at == 0 ? null : DaplAddress.at(Structures.at(at, DaplAddress.BYTES));
        if (found == null) {
            throw new PeerUnavailable("the adapter " + name + " has no address of a kind that we know");
        }
        return found;
    }

    /**
     * Opens it.
     *
     * @param safe whether the registry says that it is thread-safe; it is opened as what it is
     * @throws PeerUnavailable if it can't be opened
     */
    static DaplAdapter open(String name, boolean safe) {
        var unused = KEPT.computeIfAbsent(name, first -> handle(first, safe, Structures.allocate(Long.BYTES)));
        ByteBuffer asyncEvents = Structures.allocate(Long.BYTES);
        long handle = handle(name, safe, asyncEvents);
        try {
            ByteBuffer attributes = Structures.allocate(AdapterAttributes.BYTES);
            done(
                    "the adapter " + name + " does not say what it has",
                    functions().dat_ia_query(handle, asyncEvents, AdapterAttributes.ALL, attributes, 0, 0));
            return new DaplAdapter(name, handle, attributes);
        } catch (PeerUnavailable e) {
            free(handle);
            throw e;
        }
    }

    private static long handle(String name, boolean safe, ByteBuffer asyncEvents) {
        ByteBuffer opened = Structures.allocate(Long.BYTES);
        done(
                "the adapter " + name + " can't be opened",
                functions()
                        .dat_ia_openv(
                                name,
                                ASYNC_EVENTS,
                                asyncEvents,
                                opened,
                                DaplLayout.MAJOR,
                                DaplLayout.MINOR,
                                safe ? 1 : 0),
                "; look at rdma resource, and at the limit of open files (ulimit -n)");
        return opened.getLong(0);
    }

    String name() {
        return name;
    }

    /** The library's name for it. */
    long handle() {
        return handle;
    }

    /** Where peers reach it. */
    DaplAddress address() {
        return address;
    }

    int maxRequests() {
        return maxRequests;
    }

    int maxEvents() {
        return maxEvents;
    }

    /** How many reads of ours may be under way on one connection. */
    int maxReads() {
        return maxReads;
    }

    /** How many of the peer's reads may be under way on one connection. */
    int maxReadsServed() {
        return maxReadsServed;
    }

    /** After all that belongs to it. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            free(handle);
        }
    }

    private static void free(long handle) {
        freed("an adapter", functions().dat_ia_close(handle, DaplLayout.ABRUPT));
    }
}
