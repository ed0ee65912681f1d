package io.weir.transport.dapl;

import static io.weir.transport.dapl.DaplLibrary.done;
import static io.weir.transport.dapl.DaplLibrary.freed;
import static io.weir.transport.dapl.DaplLibrary.functions;

import io.weir.core.PeerUnavailable;
import io.weir.transport.dapl.DaplLayout.Privileges;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.LockedMemory;
import io.weir.transport.rdma.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What belongs together on an adapter: the connection of one link and the memory that it may use. Each link has its
 * own, as a peer can read all that is readable in the zone of its connection. Owns the adapter. Thread-safe.
 */
final class DaplDomain implements Domain, AutoCloseable {

    private final DaplAdapter adapter;
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DaplDomain(DaplAdapter adapter, long handle) {
        this.adapter = adapter;
        this.handle = handle;
    }

    /**
     * Opens one on an adapter, which belongs to it from here on, also if this fails.
     *
     * @throws PeerUnavailable if the provider refuses
     */
    static DaplDomain open(DaplAdapter adapter) {
        ByteBuffer zone = Structures.allocate(Long.BYTES);
        try {
            synchronized (adapter) {
                done(
                        "the adapter " + adapter.name() + " gives no protection zone",
                        functions().dat_pz_create(adapter.handle(), zone));
            }
        } catch (PeerUnavailable e) {
            adapter.close();
            throw e;
        }
        return new DaplDomain(adapter, zone.getLong(0));
    }

    DaplAdapter adapter() {
        return adapter;
    }

    /** The library's name for the zone. */
    long handle() {
        return handle;
    }

    @Override
    public Registration register(long address, long length, boolean readable) {
        int privileges = Privileges.LOCAL_READ | Privileges.LOCAL_WRITE | (readable ? Privileges.REMOTE_READ : 0);
        ByteBuffer memory = Structures.allocate(Long.BYTES);
        ByteBuffer local = Structures.allocate(Integer.BYTES);
        ByteBuffer remote = Structures.allocate(Integer.BYTES);
        ByteBuffer registeredLength = Structures.allocate(Long.BYTES);
        ByteBuffer registeredAddress = Structures.allocate(Long.BYTES);
        synchronized (adapter) {
            done(
                    length + " bytes of memory can't be registered",
                    functions()
                            .dat_lmr_create(
                                    adapter.handle(),
                                    DaplLayout.VIRTUAL_MEMORY,
                                    address,
                                    0,
                                    length,
                                    handle,
                                    privileges,
                                    DaplLayout.VIRTUAL_ADDRESSES,
                                    memory,
                                    local,
                                    remote,
                                    registeredLength,
                                    registeredAddress),
                    LockedMemory.remedy(DaplTransport.NAME));
        }
        long registration = memory.getLong(0);
        Registration registered = new RegisteredMemory(local.getInt(0), remote.getInt(0), () -> free(registration));
        long from = registeredAddress.getLong(0);
        if (from > address || from + registeredLength.getLong(0) < address + length) {
            registered.close();
            throw new PeerUnavailable("the provider has registered less memory than it was asked for");
        }
        return registered;
    }

    /** After all that belongs to it. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            synchronized (adapter) {
                freed("a protection zone", functions().dat_pz_free(handle));
                adapter.close();
            }
        }
    }

    private void free(long memory) {
        synchronized (adapter) {
            freed("registered memory", functions().dat_lmr_free(memory));
        }
    }
}
