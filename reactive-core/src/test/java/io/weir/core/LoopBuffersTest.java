package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopBuffersTest {

    private final LoopBuffers buffers = new LoopBuffers();
    private final ByteBufAllocator allocator = buffers.before(PooledByteBufAllocator.DEFAULT);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 256, 257, 1024, 1025, LoopBuffers.LARGEST})
    void givesTheLengthThatWasAskedFor(int length) {
        ByteBuf buffer = buffers.take(length);

        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.readableBytes()).isEqualTo(length);
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffers.outstanding()).isEqualTo(1);
        assertThat(buffer.release()).isTrue();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void refusesWhatIsTooLong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> buffers.take(LoopBuffers.LARGEST + 1))
                .withMessage("2049 bytes exceed 2048");
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void whatIsReleasedHereIsUsedAgain() {
        ByteBuf first = buffers.take(10);
        byte[] memory = first.array();
        first.skipBytes(5);
        first.release();
        ByteBuf second = buffers.take(64);

        assertThat(second.array()).isSameAs(memory);
        assertThat(second.readableBytes()).isEqualTo(64);
        assertThat(second.refCnt()).isEqualTo(1);
        second.release();
        ByteBuf other = buffers.take(65);
        assertThat(other.array()).as("another size").isNotSameAs(memory);
        other.release();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void whatIsReleasedElsewhereIsNotUsedAgainButCounted() {
        ByteBuf first = buffers.take(10);
        byte[] memory = first.array();
        CompletableFuture.runAsync(first::release).join();

        assertThat(buffers.outstanding()).isZero();
        ByteBuf second = buffers.take(10);
        assertThat(second.array()).isNotSameAs(memory);
        second.release();
    }

    @Test
    void theHolderBeforeLeavesNothingBehind() {
        ByteBuf first = buffers.take(64);
        first.readerIndex(50).markReaderIndex().markWriterIndex();
        first.release();
        ByteBuf second = buffers.take(4);

        assertThat(second.resetReaderIndex().readerIndex()).isZero();
        assertThat(second.resetWriterIndex().writerIndex()).isZero();
        second.release();
    }

    @Test
    void aBufferThatItsHolderCutShortIsWholeAgain() {
        ByteBuf first = buffers.take(64);
        first.capacity(10).release();
        ByteBuf second = buffers.take(64);

        assertThat(second.readableBytes()).isEqualTo(64);
        second.release();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void isInUseUntilTheLastReferenceIsGone() {
        ByteBuf first = buffers.take(10);
        ByteBuf slice = first.retainedSlice(2, 3);
        byte[] memory = first.array();
        assertThat(first.release()).isFalse();
        ByteBuf second = buffers.take(10);

        assertThat(second.array()).isNotSameAs(memory);
        assertThat(buffers.outstanding()).isEqualTo(2);
        assertThat(slice.release()).isTrue();
        second.release();
        assertThat(buffers.outstanding()).isZero();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(first::release);
    }

    @Test
    void keepsABoundedNumberAndGivesAnyNumber() {
        List<ByteBuf> all = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            all.add(buffers.take(100));
        }
        assertThat(buffers.outstanding()).isEqualTo(1500);
        all.forEach(ByteBuf::release);
        assertThat(buffers.outstanding()).isZero();
        all.clear();
        for (int i = 0; i < 600; i++) {
            all.add(buffers.take(100));
        }
        assertThat(all.stream().map(ByteBuf::array).distinct()).hasSize(600);
        all.forEach(ByteBuf::release);
    }

    @Test
    void isSeenByTheLeakDetector() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        ByteBuf first = buffers.take(10);
        assertThat(first.getClass().getSimpleName()).contains("LeakAware");
        first.release();
        ByteBuf again = buffers.take(10);
        assertThat(again.getClass().getSimpleName()).as("also when used again").contains("LeakAware");
        again.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 32, 64, 65, 2048})
    void anAllocatorGivesSmallBuffersOfTheCapacityThatWasAskedFor(int capacity) {
        ByteBuf buffer = allocator.buffer(capacity);

        assertThat(buffer.capacity()).isEqualTo(capacity);
        assertThat(buffer.maxCapacity()).isEqualTo(Integer.MAX_VALUE);
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.writerIndex()).isZero();
        assertThat(buffers.outstanding()).isEqualTo(1);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.setBytes(capacity, new byte[1]));
        buffer.release();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void anAllocatorUsesAgainWhatWasReceived() {
        ByteBuf received = buffers.take(40);
        byte[] memory = received.array();
        received.release();
        ByteBuf made = allocator.buffer(32);

        assertThat(made.array()).isSameAs(memory);
        made.release();
    }

    @Test
    void aSmallBufferGrowsWithItsContent() {
        byte[] content = new byte[5000];
        new Random(7).nextBytes(content);
        ByteBuf buffer = allocator.buffer(10);
        for (byte each : content) {
            buffer.writeByte(each);
        }

        assertThat(ByteBufUtil.getBytes(buffer)).isEqualTo(content);
        buffer.release();
        ByteBuf next = buffers.take(20);
        assertThat(next.capacity()).isEqualTo(20);
        assertThat(next.array()).as("of its class again").hasSize(64);
        next.release();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void aSmallBufferGrowsWithinItsLimitOnly() {
        ByteBuf buffer = allocator.buffer(10, 20);

        assertThat(buffer.maxFastWritableBytes()).isEqualTo(20);
        assertThat(buffer.writeZero(20).capacity()).isEqualTo(20);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.writeByte(1));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.capacity(21));
        buffer.release();
    }

    @Test
    void cuttingKeepsTheIndicesWithin() {
        ByteBuf buffer = allocator.buffer(60).writeZero(50).skipBytes(40);
        buffer.capacity(30);

        assertThat(buffer.capacity()).isEqualTo(30);
        assertThat(buffer.readerIndex()).isEqualTo(30);
        assertThat(buffer.writerIndex()).isEqualTo(30);
        buffer.release();
    }

    @Test
    void aBufferThatWasMadeElsewhereIsKeptWhereItIsReleasedHere() {
        ByteBuf made =
                CompletableFuture.supplyAsync(() -> allocator.buffer(100)).join();
        byte[] memory = made.array();
        assertThat(buffers.outstanding()).isEqualTo(1);
        made.release();

        assertThat(buffers.outstanding()).isZero();
        ByteBuf next = buffers.take(100);
        assertThat(next.array()).isSameAs(memory);
        next.release();
    }

    @Test
    void whatIsLongOrMustLieSomewhereComesFromTheOtherAllocator() {
        ByteBuf longer = allocator.buffer(LoopBuffers.LARGEST + 1);
        ByteBuf direct = allocator.directBuffer(10);
        ByteBuf heap = allocator.heapBuffer(10);

        assertThat(buffers.outstanding()).isZero();
        assertThat(longer.capacity()).isEqualTo(LoopBuffers.LARGEST + 1);
        assertThat(direct.isDirect()).isTrue();
        assertThat(heap.hasArray()).isTrue();
        longer.release();
        direct.release();
        heap.release();
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.buffer(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.buffer(10, 9));
    }

    @Test
    void theSecondReleaseIsRefused() {
        ByteBuf buffer = allocator.buffer(10);
        assertThat(buffer.release()).isTrue();

        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::release);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::retain);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(() -> buffer.writeByte(1));
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void manyHoldersInAnyOrderNeverShareABuffer() {
        Random random = new Random(11);
        List<ByteBuf> held = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            if (held.size() < 700 && random.nextInt(100) < 52) {
                ByteBuf buffer = random.nextBoolean()
                        ? buffers.take(8)
                        : allocator.buffer(8).writerIndex(8);
                held.add(buffer.setLong(0, System.identityHashCode(buffer)));
            } else if (!held.isEmpty()) {
                ByteBuf buffer = held.remove(random.nextInt(held.size()));
                assertThat(buffer.getLong(0)).isEqualTo(System.identityHashCode(buffer));
                assertThat(buffer.release()).isTrue();
            }
        }
        held.forEach(ByteBuf::release);
        assertThat(buffers.outstanding()).isZero();
    }

    /** At its simple level, the leak detector is offered few, and the rest is kept as it is. */
    @Test
    void isUsedAgainAtTheSimpleLevelOfTheLeakDetectorToo() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        try {
            manyHoldersInAnyOrderNeverShareABuffer();
            ByteBuf first = buffers.take(10);
            byte[] memory = first.array();
            first.release();
            ByteBuf second = buffers.take(10);
            assertThat(second.array()).isSameAs(memory);
            second.release();
        } finally {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        }
    }
}
