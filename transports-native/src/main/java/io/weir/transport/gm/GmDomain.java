package io.weir.transport.gm;

import io.weir.transport.rdma.Domain;
import io.weir.transport.rdma.RegisteredMemory;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of one link that is registered with a board, and what of it the peer may ask for. GM itself knows no
 * rights: any process on the network can write all memory that is registered with a port that lets others write at all.
 * Thread-safe.
 */
final class GmDomain implements Domain {

    private record Offered(long address, long length) {

        boolean contains(long from, long bytes) {
            return bytes > 0 && from >= address && bytes <= length && from - address <= length - bytes;
        }
    }

    private final GmPort port;
    private final AtomicInteger keys = new AtomicInteger();
    private final Map<Integer, Offered> readables = new ConcurrentHashMap<>();

    GmDomain(GmPort port) {
        this.port = port;
    }

    @Override
    public Registration register(long address, long length, boolean readable) {
        // In whole pages.
        long from = address & -port.pageBytes();
        long whole = (address + length - from + port.pageBytes() - 1) & -port.pageBytes();
        port.registerMemory(from, whole);
        int key = keys.incrementAndGet();
        if (readable) {
            readables.put(key, new Offered(address, length));
        }
        return new RegisteredMemory(key, key, () -> {
            readables.remove(key);
            port.deregisterMemory(from, whole);
        });
    }

    /** Whether the peer may have these bytes, which it knows by this key. */
    boolean isReadable(long address, int key, long bytes) {
        Offered readable = readables.get(key);
        return readable != null && readable.contains(address, bytes);
    }
}
