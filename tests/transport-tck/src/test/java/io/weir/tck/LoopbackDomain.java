package io.weir.tck;

import io.weir.transport.rdma.Domain;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory that is registered; told by keys, and punishes what a device would refuse. */
final class LoopbackDomain implements Domain {

    /** What is registered in this process and was not given back. */
    static final AtomicInteger REGISTERED = new AtomicInteger();

    private static final AtomicInteger KEYS = new AtomicInteger(1);

    private final Map<Integer, Region> byLocal = new HashMap<>();
    private final Map<Integer, Region> byRemote = new HashMap<>();

    private record Region(long address, long length, boolean readable) {

        boolean holds(long from, int bytes) {
            return from >= address && from + bytes <= address + length;
        }
    }

    @Override
    public synchronized Registration register(long address, long length, boolean readable) {
        Region region = new Region(address, length, readable);
        int local = KEYS.getAndIncrement();
        int remote = -KEYS.getAndIncrement();
        byLocal.put(local, region);
        byRemote.put(remote, region);
        REGISTERED.incrementAndGet();
        return new Registration() {
            @Override
            public int localKey() {
                return local;
            }

            @Override
            public int remoteKey() {
                return remote;
            }

            @Override
            public void close() {
                remove(local, remote);
            }
        };
    }

    private synchronized void remove(int local, int remote) {
        Region known = byLocal.remove(local);
        if (known == null || !known.equals(byRemote.remove(remote))) {
            throw new IllegalStateException("a registration is closed once");
        }
        REGISTERED.decrementAndGet();
    }

    /** Fails where our own device would refuse to touch this memory. */
    synchronized void checkLocal(long address, int key, int bytes) {
        Region region = byLocal.get(key);
        if (region == null || !region.holds(address, bytes)) {
            throw new AssertionError(bytes + " bytes by the key " + key + " are not registered");
        }
    }

    /** Whether a peer may read this. */
    synchronized boolean isReadable(long address, int key, int bytes) {
        Region region = byRemote.get(key);
        return region != null && region.readable && region.holds(address, bytes);
    }
}
