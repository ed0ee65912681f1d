package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.freed;
import static io.weir.transport.verbs.VerbsLibrary.functions;
import static io.weir.transport.verbs.VerbsLibrary.made;

import io.weir.core.Availability;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.Domain;
import io.weir.transport.verbs.VerbsLayout.Access;
import io.weir.transport.verbs.VerbsLayout.Region;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import reactor.core.Disposable;

/**
 * A device that this process has opened, with the port that was chosen. All that choose alike share it: the first opens it and the last
 * closes it. Each connection, each registered memory and each listener holds it. Thread-safe.
 */
final class VerbsDevice implements Domain {

    private static final Map<VerbsOptions.Choice, VerbsDevice> SHARED = new HashMap<>();
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final VerbsOptions.Choice choice;
    private final long context;
    private final long domain;
    private final DeviceLimits limits;
    private final DeviceWatch watch;
    /** Under the lock of those that are shared. */
    private int holders = 1;

    private VerbsDevice(VerbsOptions.Choice choice, DeviceSearch.Found found) {
        this.choice = choice;
        this.context = found.context();
        this.limits = found.limits();
        this.domain = made(
                "the device " + found.port().device() + " gives no protection domain",
                functions().ibv_alloc_pd(context),
                "");
        try {
            this.watch = DeviceWatch.begin(found, choice, this::forget, this::free);
        } catch (WeirException e) {
            freed("a protection domain", functions().ibv_dealloc_pd(domain));
            throw e;
        }
        OPEN.incrementAndGet();
    }

    /**
     * Opens what is chosen, unless it is open. The caller holds it, and releases it. The first one takes milliseconds, which on a loop is
     * all right only because a node that is open listens to the device, and so holds it already.
     *
     * @throws io.weir.core.PeerUnavailable if there is none, with the remedy
     */
    static VerbsDevice acquire(VerbsOptions.Choice choice) {
        synchronized (SHARED) {
            VerbsDevice shared = SHARED.get(choice);
            if (shared == null) {
                shared = open(choice);
                SHARED.put(choice, shared);
            } else {
                shared.holders++;
            }
            return shared;
        }
    }

    private static VerbsDevice open(VerbsOptions.Choice choice) {
        DeviceSearch.Found found = DeviceSearch.open(choice);
        try {
            return new VerbsDevice(choice, found);
        } catch (WeirException e) {
            freed("a device", functions().ibv_close_device(found.context()));
            throw e;
        }
    }

    /** How many are open in this process, also those that are being closed. */
    static int open() {
        return OPEN.get();
    }

    /** One holder more. Only who holds it may call. */
    void retain() {
        synchronized (SHARED) {
            holders++;
        }
    }

    /** One holder less. The last one does not wait until the device is closed, so any thread may call. */
    void release() {
        synchronized (SHARED) {
            holders--;
            if (holders > 0) {
                return;
            }
            SHARED.remove(choice, this);
        }
        watch.end();
    }

    /** It has failed: who acquires from now on opens it anew. */
    private void forget() {
        synchronized (SHARED) {
            SHARED.remove(choice, this);
        }
    }

    private void free() {
        freed("a protection domain", functions().ibv_dealloc_pd(domain));
        freed("a device", functions().ibv_close_device(context));
        OPEN.decrementAndGet();
    }

    /** The library's name for the device. */
    long context() {
        return context;
    }

    /** The library's name for what belongs together: our connections, and the memory that they may use. */
    long protectionDomain() {
        return domain;
    }

    DeviceLimits limits() {
        return limits;
    }

    /** The port as it was when it was last looked at. */
    DevicePort port() {
        return watch.port();
    }

    /** Tells of each change from now on, on a thread of its own. The listener must not block; who listens holds the device as well. */
    Disposable listen(Consumer<Availability> listener) {
        return watch.listen(listener);
    }

    @Override
    public Registration register(long address, long length, boolean readable) {
        int access = Access.LOCAL_WRITE | (readable ? Access.REMOTE_READ : 0);
        long region = made(
                length + " bytes of memory can't be registered",
                functions().ibv_reg_mr(domain, address, length, access),
                LockedMemory.REMEDY);
        retain();
        ByteBuffer fields = Structures.at(region, Region.BYTES);
        return new Registered(region, fields.getInt(Region.LKEY), fields.getInt(Region.RKEY));
    }

    private final class Registered implements Registration {

        private final long region;
        private final int localKey;
        private final int remoteKey;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Registered(long region, int localKey, int remoteKey) {
            this.region = region;
            this.localKey = localKey;
            this.remoteKey = remoteKey;
        }

        @Override
        public int localKey() {
            return localKey;
        }

        @Override
        public int remoteKey() {
            return remoteKey;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                freed("registered memory", functions().ibv_dereg_mr(region));
                release();
            }
        }
    }
}
