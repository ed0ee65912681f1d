package io.weir.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of the peer that we read, in the order in which frames describe them: as many at once as the wire allows,
 * each into a block of our pool. The first of them, which everything else waits for, does not wait for room in the
 * pool: it is read in pieces through memory that is kept for that, and copied. Belongs to the loop's thread.
 */
final class RemoteReads {

    private final Wire wire;
    private final RegisteredPool pool;
    private final LinkMemory place;
    private final @Nullable Reading[] byToken;
    private final Deque<Reading> inOrder = new ArrayDeque<>();
    private int underWay;

    RemoteReads(Wire wire, RegisteredPool pool, LinkMemory place) {
        this.wire = wire;
        this.pool = pool;
        this.place = place;
        this.byToken = new @Nullable Reading[wire.maxReads()];
    }

    /** One block, on its way to us. */
    private static final class Reading {

        private final long address;
        private final int key;
        private final int length;
        private @Nullable ByteBuf body;
        private boolean inPieces;
        private int asked;
        private int here;

        Reading(long address, int key, int length) {
            this.address = address;
            this.key = key;
            this.length = length;
        }

        boolean isHere() {
            return here == length;
        }
    }

    /** The frames after those that were added before describe this block. */
    void add(long address, int key, int length) {
        inOrder.add(new Reading(address, key, length));
    }

    int count() {
        return inOrder.size();
    }

    /** Begins what can be begun. */
    void begin() {
        for (Reading reading : inOrder) {
            if (underWay == byToken.length) {
                return;
            }
            if (reading.body == null) {
                beginInPool(reading);
            }
            if (reading.body == null && reading == inOrder.peekFirst()) {
                reading.body = PooledByteBufAllocator.DEFAULT.directBuffer(reading.length, reading.length);
                reading.inPieces = true;
                nextPiece(reading);
            }
            if (reading.body == null) {
                return;
            }
        }
    }

    private void beginInPool(Reading reading) {
        ByteBuf block = pool.takeFull(reading.length);
        if (block == null) {
            return;
        }
        RegisteredPool.Place at = pool.place(block);
        if (at == null) {
            // The pool has ended in this very moment.
            block.release();
            return;
        }
        reading.body = block;
        reading.asked = reading.length;
        wire.read(at.address(), at.localKey(), reading.length, reading.address, reading.key, token(reading));
    }

    private void nextPiece(Reading reading) {
        int bytes = Math.min(LinkMemory.BOUNCE, reading.length - reading.asked);
        long to = place.mapping().address() + place.bounceIndex();
        long from = reading.address + reading.asked;
        reading.asked += bytes;
        wire.read(to, place.key(), bytes, from, reading.key, token(reading));
    }

    private int token(Reading reading) {
        for (int token = 0; token < byToken.length; token++) {
            if (byToken[token] == null) {
                byToken[token] = reading;
                underWay++;
                return token;
            }
        }
        throw new IllegalStateException("more reads are under way than were allowed");
    }

    /** What was asked for by this token is here. */
    void arrived(int token) {
        Reading reading = byToken[token];
        if (reading == null || reading.body == null) {
            throw new IllegalStateException("nothing is read for " + token);
        }
        byToken[token] = null;
        underWay--;
        if (reading.inPieces) {
            int bytes = reading.asked - reading.here;
            ByteBuffer piece = place.mapping().memory().slice(place.bounceIndex(), bytes);
            reading.body.writeBytes(piece);
            reading.here = reading.asked;
            if (!reading.isHere()) {
                nextPiece(reading);
            }
        } else {
            reading.here = reading.length;
        }
    }

    /** The first block, which belongs to the caller then; null if it is not here yet. */
    @Nullable
    ByteBuf takeFirst() {
        Reading first = inOrder.peekFirst();
        if (first == null || !first.isHere()) {
            return null;
        }
        inOrder.removeFirst();
        ByteBuf body = first.body;
        first.body = null;
        return body;
    }

    /** Nothing is under way any longer, as the wire was closed. */
    void end() {
        for (Reading reading : inOrder) {
            if (reading.body != null) {
                reading.body.release();
            }
        }
        inOrder.clear();
    }
}
