package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.UnixSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Both ends of one direction, each with a mapping of its own as in two processes. Rings are used again and again,
 * because a mapping costs more than a race: so each race begins on what the one before has left in the memory.
 */
final class Ring {

    /** More records than any race has in its ring: a reader that finds them goes round on old ones. */
    private static final int MOST = 64;

    /** Bytes of the ring. */
    static final int SIZE = SegmentLayout.MIN_RING;

    /** Bytes of the body of a frame, where nobody says otherwise, and of the record that it becomes. */
    private static final int BODY = 40;

    static final int RECORD = FrameLayout.HEADER + BODY;

    private static final SegmentLayout LAYOUT = new SegmentLayout(SIZE, SegmentLayout.MIN_POOL);
    private static final Queue<Ring> IDLE = new ConcurrentLinkedQueue<>();
    private static final Doorbell DOORBELL = silentDoorbell();

    final BlockPool pool;
    final BlockAllocator allocator;
    final RingWriter writer;
    final FrameWriter frames;
    final RingReader reader;

    /** The number of the next frame: none comes twice, so that old bytes can't pass for new ones. */
    private int made;
    /** The number of the frame that comes next. */
    private int expected;

    private Ring() {
        Segment sent;
        Segment received;
        try (Descriptor file = Segment.allocate(LAYOUT)) {
            sent = Segment.begin(file, LAYOUT);
            received = Segment.open(file, LAYOUT);
        }
        pool = new BlockPool(sent);
        allocator = new BlockAllocator(pool);
        writer = new RingWriter(sent);
        frames = new FrameWriter(writer, pool, allocator, RecordLayout.maxFrame(SIZE));
        ReceivedBlocks blocks = new ReceivedBlocks(received, false, DOORBELL);
        reader = new RingReader(received, new LoopBuffers(), PooledByteBufAllocator.DEFAULT, blocks);
    }

    /** One that nobody hears. */
    private static Doorbell silentDoorbell() {
        try {
            return new Doorbell(UnixSocket.unconnected());
        } catch (NativeFailure e) {
            throw new IllegalStateException(e);
        }
    }

    /** An empty ring, its next record anywhere, in the middle of a turn of the sender. */
    static Ring any() {
        Ring idle = IDLE.poll();
        Ring ring = idle == null ? new Ring() : idle;
        ring.beginRun();
        return ring;
    }

    /** The same at the beginning of a turn. */
    static Ring atTurn() {
        Ring ring = any();
        ring.writer.publishLast();
        return ring;
    }

    /** The first record of a turn is a run of its own: after it, a run is what lies between two publications. */
    private void beginRun() {
        var unused = fill(FrameLayout.HEADER);
        writer.publish();
        checkEmpty();
    }

    private void checkEmpty() {
        if (readAll() != 0) {
            throw new IllegalStateException("the race before has left a frame");
        }
    }

    /** An empty ring whose next run begins here, at a cache line. */
    static Ring at(int index) {
        Ring ring = any();
        ring.moveTo(index);
        return ring;
    }

    private void moveTo(int index) {
        for (int left; (left = (index - (int) reader.position()) & (SIZE - 1)) != 0; ) {
            var unused = fill(left);
            writer.publish();
            checkEmpty();
        }
    }

    /** Leaves no room for any record. */
    void fillUp() {
        for (int bytes = FrameLayout.HEADER + RecordLayout.maxLength(SIZE); bytes >= FrameLayout.HEADER; ) {
            if (writer.hasRoom(bytes)) {
                var unused = fill(bytes);
            } else {
                bytes -= Long.BYTES;
            }
        }
        writer.publish();
    }

    /** Writes a record that is skipped, of this many bytes, a multiple of 8, or as long as possible. */
    private int fill(int bytes) {
        int length = Math.min(bytes, FrameLayout.HEADER + RecordLayout.maxLength(SIZE));
        int index = writer.claim(length);
        writer.commit(index, FrameLayout.word0(FrameKind.OPTIONAL, 0, 0, length - FrameLayout.HEADER), length);
        return length;
    }

    /** The next frame, with a short body. */
    Frame frame() {
        return frame(BODY);
    }

    /** The next frame, with a body of this many bytes, a multiple of 8. */
    Frame frame(int length) {
        ByteBuf body = Unpooled.buffer(length, length);
        int number = made++;
        while (body.isWritable()) {
            body.writeLong(word(number, body.writerIndex()));
        }
        return new Frame().set(FrameKind.DATA, 0, number, length).body(body);
    }

    /** The next frame, with a body in a block of the pool. */
    Frame blockFrame() {
        return blockFrame(BlockAllocator.LEAST);
    }

    /** The next frame, with a body of this length in a block of the pool, its content undefined. */
    Frame blockFrame(int length) {
        ByteBuf body = allocator.directBuffer(length, length).writerIndex(length);
        int number = made++;
        return new Frame().set(FrameKind.DATA, 0, number, length).body(body);
    }

    /** Writes a frame for which there is room. */
    void write(Frame frame) {
        if (!frames.write(frame)) {
            throw new IllegalStateException("no room for " + frame);
        }
    }

    /** Takes a frame with a block out of the ring; the caller owns the body. */
    ByteBuf readBlock() {
        while (reader.read() != RingReader.Found.FRAME) {
            if (!reader.hasNext()) {
                throw new IllegalStateException("no frame was published");
            }
        }
        expected++;
        return reader.frame().body();
    }

    /** Reads until nothing is there. Returns how many frames came, or -1 if one of them was not what was sent next. */
    int readAll() {
        int count = read(MOST);
        reader.tell();
        return count;
    }

    /** The same for at most so many records, without telling the sender. */
    int read(int most) {
        int count = 0;
        boolean whole = true;
        for (int records = 0; records < most; records++) {
            RingReader.Found found = reader.read();
            if (found == RingReader.Found.NOTHING) {
                break;
            }
            if (found == RingReader.Found.FRAME) {
                whole &= isNext(reader.frame());
                count++;
            }
        }
        return whole ? count : -1;
    }

    private boolean isNext(Frame frame) {
        int number = expected++;
        ByteBuf body = frame.body();
        boolean whole = frame.channel() == number && frame.aux() == body.readableBytes();
        for (int at = 0; whole && at < body.readableBytes(); at += Long.BYTES) {
            whole = body.getLong(at) == word(number, at);
        }
        body.release();
        return whole;
    }

    private static long word(int number, int at) {
        return (number * 64L + at) * 0x9e37_79b9_7f4a_7c15L;
    }

    /**
     * Takes back what the receiver has released, until nothing is there or so many have come. Returns how many came.
     */
    int takeBack(int most) {
        int count = 0;
        for (ByteBuf block; count < most && (block = pool.nextReturned()) != null; count++) {
            block.release();
        }
        return count;
    }

    /** Whether the pool has all its memory again and lends nothing. */
    boolean poolIsWhole() {
        return pool.inFlight() == 0 && pool.freeUnits() == LAYOUT.units();
    }

    /** The race is over, and nothing is left in the ring. */
    void over() {
        reader.sleeps(false);
        writer.waits(false);
        IDLE.add(this);
    }
}
