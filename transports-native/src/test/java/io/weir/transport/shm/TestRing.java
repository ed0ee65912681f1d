package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.core.LoopBuffers;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.UnixSocket;
import java.nio.ByteBuffer;

/** Both ends of one direction, each with a mapping of its own as in two processes, without loops and sockets. */
final class TestRing implements AutoCloseable {

    final SegmentLayout layout;
    final Segment sent;
    final Segment received;
    final Doorbell doorbell;
    final BlockPool pool;
    final BlockAllocator allocator;
    final RingWriter writer;
    final FrameWriter frames;
    final ReceivedBlocks blocks;
    final RingReader reader;
    private final LoopBuffers small = new LoopBuffers();

    TestRing(int ringSize, int poolSize) {
        this(ringSize, poolSize, false);
    }

    /** The reader belongs to the calling thread. */
    TestRing(int ringSize, int poolSize, boolean copyIn) {
        layout = new SegmentLayout(ringSize, poolSize);
        try (Descriptor file = Segment.allocate(layout)) {
            sent = Segment.begin(file, layout);
            received = Segment.open(file, layout);
        }
        pool = new BlockPool(sent);
        allocator = new BlockAllocator(pool);
        writer = new RingWriter(sent);
        frames = new FrameWriter(writer, pool, allocator, RecordLayout.maxFrame(ringSize));
        doorbell = silentDoorbell();
        blocks = new ReceivedBlocks(received, copyIn, doorbell);
        reader = new RingReader(received, small, PooledByteBufAllocator.DEFAULT, blocks);
    }

    /** One that nobody hears. */
    static Doorbell silentDoorbell() {
        try {
            return new Doorbell(UnixSocket.unconnected());
        } catch (NativeFailure e) {
            throw new AssertionError(e);
        }
    }

    /** The memory as the sender sees it, for a peer that writes whatever it likes. */
    ByteBuffer memory() {
        return sent.mapping().memory();
    }

    Mapping mapping() {
        return sent.mapping();
    }

    /** Ends a turn of the sender. */
    void publish() {
        writer.publishLast();
    }

    /** What comes next but for padding. */
    RingReader.Found next() {
        RingReader.Found found;
        do {
            found = reader.read();
        } while (found == RingReader.Found.SKIPPED);
        return found;
    }

    /** Takes back what the receiver has released; returns how much that was. */
    int takeBack() {
        int count = 0;
        for (ByteBuf block; (block = pool.nextReturned()) != null; count++) {
            block.release();
        }
        return count;
    }

    long smallOutstanding() {
        return small.outstanding();
    }

    @Override
    public void close() {
        pool.end();
        doorbell.close();
        sent.mapping().release();
        received.mapping().release();
    }
}
