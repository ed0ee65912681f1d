package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BytesTest {

    private static final int LONGEST = 300;

    private final Random random = new Random(7);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(512);

    private byte[] some(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] inMemory(int index, int length) {
        byte[] bytes = new byte[length];
        memory.get(index, bytes);
        return bytes;
    }

    @Test
    void copiesArraysOfAnyLengthAndTouchesNothingElse() {
        for (int length = 0; length <= LONGEST; length++) {
            byte[] before = some(512);
            memory.put(0, before);
            byte[] from = some(length + 5);
            int index = 8 + random.nextInt(16);
            Bytes.copy(from, 3, memory, index, length);
            assertThat(inMemory(index, length)).containsExactly(java.util.Arrays.copyOfRange(from, 3, 3 + length));
            assertThat(inMemory(0, index)).containsExactly(java.util.Arrays.copyOf(before, index));
            assertThat(inMemory(index + length, 512 - index - length))
                    .containsExactly(java.util.Arrays.copyOfRange(before, index + length, 512));
            byte[] back = some(length + 5);
            byte[] around = back.clone();
            Bytes.copy(memory, index, back, 2, length);
            System.arraycopy(from, 3, around, 2, length);
            assertThat(back).containsExactly(around);
        }
    }

    @Test
    void copiesBuffersOfAnyKindWithoutMovingTheirIndices() {
        for (int length = 0; length <= LONGEST; length++) {
            byte[] content = some(length);
            ByteBuf direct =
                    PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(3).writeBytes(content);
            ByteBuf heap =
                    PooledByteBufAllocator.DEFAULT.heapBuffer().writeZero(3).writeBytes(content);
            ByteBuf composite = Unpooled.wrappedBuffer(
                    Unpooled.copiedBuffer(content, 0, length / 2),
                    Unpooled.copiedBuffer(content, length / 2, length - length / 2));
            ByteBuf readOnly = Unpooled.copiedBuffer(content).asReadOnly();
            for (ByteBuf from : new ByteBuf[] {direct.skipBytes(3), heap.skipBytes(3), composite, readOnly}) {
                int index = random.nextInt(32);
                int reader = from.readerIndex();
                memory.put(0, some(512));
                Bytes.copy(from, memory, index, length);
                assertThat(inMemory(index, length)).containsExactly(content);
                assertThat(from.readerIndex()).isEqualTo(reader);
                from.release();
            }
        }
    }

    @Test
    void copiesIntoBuffersOfAnyKind() {
        for (int length = 0; length <= LONGEST; length++) {
            byte[] content = some(length);
            memory.put(9, content);
            ByteBuf direct = PooledByteBufAllocator.DEFAULT.directBuffer(length, length);
            ByteBuf heap = PooledByteBufAllocator.DEFAULT.heapBuffer(length, length);
            for (ByteBuf to : new ByteBuf[] {direct, heap}) {
                Bytes.copy(memory, 9, to.setIndex(0, length), length);
                assertThat(to).isEqualTo(Unpooled.wrappedBuffer(content));
                to.release();
            }
        }
    }
}
