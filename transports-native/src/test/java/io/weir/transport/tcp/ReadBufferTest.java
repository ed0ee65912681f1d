package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadBufferTest {

    @Test
    @SuppressWarnings("deprecation") // Netty's only way to ask.
    void readsIntoTheSameMemoryUnlessABodyInItIsKeptAndGivesItUpWithItsLoop() {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
        NettyLoop loop = NettyLoop.start("reading", Waiting.FRUGAL, false);
        ByteBuf kept = OnLoop.get(loop, () -> {
            var one = ReadBuffer.ofLoop().newHandle();
            var other = ReadBuffer.ofLoop().newHandle();
            ByteBuf first = one.allocate(memory).writeZero(100);
            assertThat(first.release()).isFalse();
            ByteBuf second = other.allocate(memory);
            assertThat(second).isSameAs(first);
            assertThat(second.readableBytes()).isZero();
            assertThat(second.writableBytes()).isEqualTo(ReadBuffer.SIZE);
            ByteBuf body = second.writeZero(60).readRetainedSlice(50);
            assertThat(second.release()).isFalse();
            ByteBuf third = one.allocate(memory);
            assertThat(third).isNotSameAs(second);
            third.release();
            return body;
        });
        loop.close().block(Duration.ofSeconds(30));
        assertThat(memory.metric().usedDirectMemory()).isEqualTo(ReadBuffer.SIZE);
        assertThat(kept.release()).isTrue();
        assertThat(memory.metric().usedDirectMemory()).isZero();
    }
}
