package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.freed;
import static io.weir.transport.verbs.VerbsLibrary.functions;
import static io.weir.transport.verbs.VerbsLibrary.made;

import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.LockedMemory;
import io.weir.transport.rdma.RegisteredMemory;
import io.weir.transport.verbs.VerbsLayout.Access;
import io.weir.transport.verbs.VerbsLayout.Region;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What belongs together on a device: the connection of one link and the memory that it may use. Each link has its own,
 * as a peer can read all that is readable in the domain of its connection. Holds the device. Thread-safe.
 */
final class VerbsDomain implements Domain, AutoCloseable {

    private final VerbsDevice device;
    private final long handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    private VerbsDomain(VerbsDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    /**
     * Opens one.
     *
     * @throws io.weir.core.PeerUnavailable if the device refuses
     */
    static VerbsDomain open(VerbsDevice device) {
        long handle = made(
                "the device " + device.port().device() + " gives no protection domain",
                functions().ibv_alloc_pd(device.context()),
                "");
        device.retain();
        return new VerbsDomain(device, handle);
    }

    VerbsDevice device() {
        return device;
    }

    /** The library's name for it. */
    long handle() {
        return handle;
    }

    @Override
    public Registration register(long address, long length, boolean readable) {
        int access = Access.LOCAL_WRITE | (readable ? Access.REMOTE_READ : 0);
        long region = made(
                length + " bytes of memory can't be registered",
                functions().ibv_reg_mr(handle, address, length, access),
                LockedMemory.remedy(VerbsTransport.NAME));
        ByteBuffer fields = Structures.at(region, Region.BYTES);
        return new RegisteredMemory(
                fields.getInt(Region.LKEY),
                fields.getInt(Region.RKEY),
                () -> freed("registered memory", functions().ibv_dereg_mr(region)));
    }

    /** After all that belongs to it. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            freed("a protection domain", functions().ibv_dealloc_pd(handle));
            device.release();
        }
    }
}
