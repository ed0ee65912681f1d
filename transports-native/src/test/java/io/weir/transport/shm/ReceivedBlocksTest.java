package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceivedBlocksTest {

    private static final int LENGTH = 16 << 10;

    private static List<ByteBuf> lend(TestRing ring, int count) {
        List<ByteBuf> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ByteBuf body = ring.allocator.buffer(LENGTH, LENGTH).writerIndex(LENGTH);
            assertThat(ring.frames.write(new Frame().set(FrameKind.DATA, 0, 1, 0, body)))
                    .isTrue();
            ring.publish();
            assertThat(ring.next()).isEqualTo(RingReader.Found.FRAME);
            bodies.add(ring.reader.frame().body());
        }
        return bodies;
    }

    @Test
    void outsideOfATurnABlockIsGivenBackAtOnce() {
        try (TestRing ring = new TestRing(64 << 10, 1 << 20)) {
            lend(ring, 3).forEach(ByteBuf::release);
            assertThat(ring.blocks.outstanding()).isZero();
            assertThat(ring.takeBack()).isEqualTo(3);
            assertThat(ring.blocks.giveBack()).isFalse();
        }
    }

    @Test
    void inATurnItIsGivenBackBehindWhatIsHandled() {
        try (TestRing ring = new TestRing(64 << 10, 1 << 20)) {
            ring.inTurn = true;
            lend(ring, 3).forEach(ByteBuf::release);
            assertThat(ring.blocks.outstanding()).isEqualTo(3);
            assertThat(ring.pool.hasReturned()).isFalse();
            assertThat(ring.takeBack()).isZero();
            assertThat(ring.blocks.giveBack()).isTrue();
            assertThat(ring.blocks.outstanding()).isZero();
            assertThat(ring.pool.hasReturned()).isTrue();
            assertThat(ring.takeBack()).isEqualTo(3);
            assertThat(ring.blocks.giveBack()).isFalse();
            int holders = ring.mapping().holders();
            lend(ring, 1).forEach(ByteBuf::release);
            assertThat(ring.blocks.giveBack()).isTrue();
            assertThat(ring.takeBack()).isEqualTo(1);
            assertThat(ring.mapping().holders()).isEqualTo(holders);
        }
    }

    /** Whoever releases very many in one turn does not keep all of them from the peer until its end. */
    @Test
    void inATurnOnlySomeWait() {
        try (TestRing ring = new TestRing(64 << 10, 1 << 20)) {
            ring.inTurn = true;
            lend(ring, 20).forEach(ByteBuf::release);
            assertThat(ring.takeBack()).isEqualTo(4);
            assertThat(ring.blocks.giveBack()).isTrue();
            assertThat(ring.takeBack()).isEqualTo(16);
            assertThat(ring.blocks.outstanding()).isZero();
        }
    }
}
