package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a peer that never acknowledges can make us keep is bounded, whatever it has us send. */
class KeptTest {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final Kept kept = new Kept(allocator, 1);
    private final ByteBuf shared = allocator.directBuffer(64 << 10).writeZero(64 << 10);

    @AfterEach
    void everythingIsReleased() {
        kept.release();
        assertThat(shared.release()).isTrue();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private void write(int length) {
        kept.begin();
        kept.add(shared.slice(0, length));
    }

    @Test
    void aShortPieceDoesNotKeepTheBufferThatItIsOf() {
        write(24);
        assertThat(shared.refCnt()).isEqualTo(1);
        write(20_000);
        assertThat(shared.refCnt()).isEqualTo(2);
        assertThat(kept.acknowledge(2)).isTrue();
        assertThat(shared.refCnt()).isEqualTo(1);
    }

    @Test
    void manyShortPiecesReachTheBoundToo() {
        int pieces = 0;
        while (!kept.isFull()) {
            write(16);
            pieces++;
        }
        assertThat(pieces).isLessThan((int) Kept.LEAST / 100);
        assertThat(kept.acknowledge(pieces / 4)).isTrue();
        assertThat(kept.isFull()).isTrue();
        assertThat(kept.acknowledge(pieces - 1)).isTrue();
        assertThat(kept.isFull()).isFalse();
    }
}
