package io.weir.samples.steering;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Codec;
import io.weir.core.ProtocolMismatch;

/** What the viewer sees: the plate after so many steps. */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record Frame(long step, float[] cells) {

    /** Written straight into the memory of the path: over shm, it is there that the viewer reads it. */
    static final Codec<Frame> CODEC = new Codec<>() {

        private static final int LENGTH = Long.BYTES + Plate.SIDE * Plate.SIDE * Float.BYTES;

        @Override
        public ByteBuf encode(Frame frame, ByteBufAllocator allocator) {
            ByteBuf payload = allocator.buffer(LENGTH, LENGTH).writeLong(frame.step);
            for (float cell : frame.cells) {
                payload.writeFloat(cell);
            }
            return payload;
        }

        @Override
        public Frame decode(ByteBuf payload) {
            if (payload.readableBytes() != LENGTH) {
                throw new ProtocolMismatch("a frame has " + LENGTH + " bytes, this one " + payload.readableBytes());
            }
            int at = payload.readerIndex();
            float[] cells = new float[Plate.SIDE * Plate.SIDE];
            for (int i = 0; i < cells.length; i++) {
                cells[i] = payload.getFloat(at + Long.BYTES + i * Float.BYTES);
            }
            return new Frame(payload.getLong(at), cells);
        }
    };

    /** The warmest place. */
    Burner warmest() {
        int warmest = 0;
        for (int i = 1; i < cells.length; i++) {
            warmest = cells[i] > cells[warmest] ? i : warmest;
        }
        return new Burner(warmest % Plate.SIDE, warmest / Plate.SIDE);
    }
}
