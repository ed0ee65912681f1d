package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.freed;
import static io.weir.transport.verbs.VerbsLibrary.functions;

import io.weir.core.Availability;
import io.weir.core.WeirException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import reactor.core.Disposable;

/**
 * A device that this process has opened, with the port that was chosen. All that choose alike share it: the first opens
 * it and the last closes it. Each domain and each listener holds it. Thread-safe.
 */
final class VerbsDevice {

    private static final Map<VerbsOptions.Choice, VerbsDevice> SHARED = new HashMap<>();
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final VerbsOptions.Choice choice;
    private final long context;
    private final DeviceLimits limits;
    private final DeviceWatch watch;
    /** Under the lock of those that are shared. */
    private int holders = 1;

    private VerbsDevice(VerbsOptions.Choice choice, DeviceSearch.Found found) {
        this.choice = choice;
        this.context = found.context();
        this.limits = found.limits();
        this.watch = DeviceWatch.begin(found, choice, this::forget, this::free);
        OPEN.incrementAndGet();
    }

    /**
     * Opens what is chosen, unless it is open. The caller holds it, and releases it. The first one takes milliseconds,
     * which on a loop is all right only because a node that is open listens to the device, and so holds it already.
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
        freed("a device", functions().ibv_close_device(context));
        OPEN.decrementAndGet();
    }

    /** The library's name for the device. */
    long context() {
        return context;
    }

    DeviceLimits limits() {
        return limits;
    }

    /**
     * The port as it was when it was last looked at.
     *
     * @throws io.weir.core.PeerUnavailable if it can't be used now
     */
    DevicePort port() {
        return watch.port();
    }

    /**
     * Reports each change from now on, on a thread of its own. The listener must not block; who listens holds the
     * device as well.
     */
    Disposable listen(Consumer<Availability> listener) {
        return watch.listen(listener);
    }
}
