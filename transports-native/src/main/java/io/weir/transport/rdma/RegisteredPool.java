package io.weir.transport.rdma;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Lease;
import io.weir.transport.nativelib.LeasedBuf;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.UnitMap;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * Memory for long payloads of one link, registered once and used again and again, up to a limit: gives direct buffers
 * that the peer reads itself, without a copy. No two links share one, as a peer can read all that its link has
 * registered for that. What is too short to be worth that, does not fit, or comes after the end, is ordinary memory,
 * which is copied. Thread-safe.
 *
 * <p>The memory is registered in pieces when it is first needed. That takes milliseconds, so whoever needs it on a
 * loop, or another thread that must not block, gets ordinary memory, while another one registers it for the next time.
 */
public final class RegisteredPool extends AbstractByteBufAllocator implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RegisteredPool.class);

    private static final ByteBufAllocator ORDINARY = PooledByteBufAllocator.DEFAULT;

    /** Blocks begin at a multiple of this: a page, so that no two share one, which a device may have to fetch twice. */
    private static final int UNIT = 4 << 10;

    /**
     * What is registered at once, if nobody needs more in one piece: few calls, and a few messages of 1 MiB under way.
     */
    private static final int PIECE = 8 << 20;

    private final Domain domain;
    private final long limit;

    /** Held while memory is registered; {@link #pieces} is read without. */
    private final Lock growing = new ReentrantLock();

    private volatile Piece[] pieces = {};
    /** Bytes of them all. */
    private volatile long registered;
    /** The system has refused to register more. */
    private volatile boolean refused;

    private volatile boolean closed;

    /**
     * Has nothing registered yet.
     *
     * @param limit bytes that are registered at most; 0 for none
     */
    public RegisteredPool(Domain domain, long limit) {
        super(true);
        this.domain = domain;
        this.limit = limit;
    }

    /** Where a body lies. */
    record Place(long address, int localKey, int remoteKey) {}

    /** Where these readable bytes lie if that is in registered memory, all in one piece; else null. */
    @Nullable
    Place place(ByteBuf body) {
        if (!body.hasMemoryAddress()) {
            return null;
        }
        long address = body.memoryAddress() + body.readerIndex();
        for (Piece piece : pieces) {
            long offset = address - piece.mapping.address();
            if (offset >= 0 && offset + body.readableBytes() <= piece.mapping.length()) {
                return new Place(address, piece.registration.localKey(), piece.registration.remoteKey());
            }
        }
        return null;
    }

    /** A buffer of this many bytes, filled by the caller, or null if there is no room now. On a loop. */
    @Nullable
    ByteBuf takeFull(int bytes) {
        Block block = take(bytes);
        return block == null
                ? null
                : toLeakAwareBuffer(buffer(block, bytes, bytes).setIndex(0, bytes));
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        Block block = initialCapacity < SlotLayout.LEAST_BLOCK ? null : take(initialCapacity);
        return block == null
                ? ORDINARY.directBuffer(initialCapacity, maxCapacity)
                : toLeakAwareBuffer(buffer(block, initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return ORDINARY.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    private LeasedBuf buffer(Block block, int capacity, int maxCapacity) {
        return new LeasedBuf(this, block.memory(capacity), block.address(), maxCapacity, block);
    }

    private @Nullable Block take(int bytes) {
        if (closed || bytes > SlotLayout.LONGEST_BLOCK) {
            return null;
        }
        int units = (bytes + UNIT - 1) / UNIT;
        Block block = takeIn(pieces, units);
        if (block != null || !mayGrow(units)) {
            return block;
        }
        if (Schedulers.isInNonBlockingThread()) {
            growElsewhere(units);
            return null;
        }
        grow(units);
        return takeIn(pieces, units);
    }

    private static @Nullable Block takeIn(Piece[] among, int units) {
        for (Piece piece : among) {
            Block block = piece.take(units);
            if (block != null) {
                return block;
            }
        }
        return null;
    }

    private void growElsewhere(int units) {
        if (growing.tryLock()) {
            growing.unlock();
            Thread thread = new Thread(() -> grow(units), "weir-register");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void grow(int units) {
        growing.lock();
        try {
            if (!closed && mayGrow(units) && !hasRoom(units)) {
                add(pieceFor(units));
            }
        } finally {
            growing.unlock();
        }
    }

    private boolean mayGrow(int units) {
        return !refused && registered + pieceFor(units) <= limit;
    }

    private static int pieceFor(int units) {
        return Math.max(PIECE, units * UNIT);
    }

    /** Somebody else may have registered more meanwhile. */
    private boolean hasRoom(int units) {
        Block block = takeIn(pieces, units);
        if (block != null) {
            block.end();
        }
        return block != null;
    }

    private void add(int length) {
        Mapping mapping = LinkMemory.map(length);
        try {
            Piece piece = new Piece(mapping, domain.register(mapping.address(), length, true));
            registered = registeredBytes() + length;
            Piece[] more = Arrays.copyOf(pieces, pieces.length + 1);
            more[pieces.length] = piece;
            pieces = more;
        } catch (WeirException e) {
            mapping.release();
            refused = true;
            log.warn("Long messages are copied from here on, as no more memory can be registered: {}", e.getMessage());
        }
    }

    /**
     * No memory of this is registered any longer. Buffers that are out stay valid. After all wires of the domain were
     * closed.
     */
    @Override
    public void close() {
        growing.lock();
        try {
            closed = true;
            for (Piece piece : pieces) {
                piece.end();
            }
            pieces = new Piece[0];
        } finally {
            growing.unlock();
        }
    }

    /** Bytes that are registered at this moment. */
    public long registeredBytes() {
        long sum = 0;
        for (Piece piece : pieces) {
            sum += piece.mapping.length();
        }
        return sum;
    }

    /** What was registered at once. */
    private static final class Piece {

        private final Mapping mapping;
        private final Domain.Registration registration;
        private final UnitMap units;
        private boolean ended;

        Piece(Mapping mapping, Domain.Registration registration) {
            this.mapping = mapping;
            this.registration = registration;
            this.units = new UnitMap(mapping.length() / UNIT);
        }

        synchronized @Nullable Block take(int count) {
            int first = ended ? -1 : units.take(count);
            if (first < 0) {
                return null;
            }
            mapping.retain();
            return new Block(this, first, count);
        }

        void give(int first, int count) {
            synchronized (this) {
                units.give(first, count);
            }
            mapping.release();
        }

        void end() {
            synchronized (this) {
                ended = true;
            }
            registration.close();
            mapping.release();
        }
    }

    /** A run of units that is taken; holds the mapping. */
    private record Block(Piece piece, int first, int count) implements Lease {

        ByteBuffer memory(int length) {
            return piece.mapping.memory().slice(first * UNIT, length);
        }

        long address() {
            return piece.mapping.address() + (long) first * UNIT;
        }

        @Override
        public void end() {
            piece.give(first, count);
        }
    }
}
