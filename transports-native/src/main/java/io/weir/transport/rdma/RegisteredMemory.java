package io.weir.transport.rdma;

import java.util.concurrent.atomic.AtomicBoolean;

/** Memory that a library has registered, freed once. Thread-safe, if what frees it is. */
public final class RegisteredMemory implements Domain.Registration {

    private final int localKey;
    private final int remoteKey;
    private final Runnable freeing;
    private final AtomicBoolean freed = new AtomicBoolean();

    /** @param freeing gives it back to the library */
    public RegisteredMemory(int localKey, int remoteKey, Runnable freeing) {
        this.localKey = localKey;
        this.remoteKey = remoteKey;
        this.freeing = freeing;
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
        if (freed.compareAndSet(false, true)) {
            freeing.run();
        }
    }
}
