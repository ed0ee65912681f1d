package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiveBuffersTest {

    private final ReceiveBuffers buffers = new ReceiveBuffers();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 64, 65, 256, 257, 1024, 1025, ReceiveBuffers.LARGEST})
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
                .isThrownBy(() -> buffers.take(ReceiveBuffers.LARGEST + 1))
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
    void aBufferThatItsHolderCutShortIsNotUsedAgain() {
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
}
