package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
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

    @Test
    void allSocketsShareWhatOneTurnMayBring() {
        NettyLoop loop = NettyLoop.start("reading", Waiting.FRUGAL, false);
        long first = turn(loop, 1000);
        long second = turn(loop, 1000);
        long few = turn(loop, 2);
        loop.close().block(Duration.ofSeconds(30));
        assertThat(first).isBetween((long) ReadBuffer.TURN, ReadBuffer.TURN + 1000L * ReadBuffer.LEAST);
        assertThat(second).isEqualTo(1000L * (ReadBuffer.TURN / 1000));
        // The turn before had a thousand.
        assertThat(few).isEqualTo(2L * (ReadBuffer.TURN / 1000));
        loop = NettyLoop.start("reading", Waiting.FRUGAL, false);
        assertThat(turn(loop, 2)).isEqualTo(2 * 4 * ReadBuffer.SIZE);
        assertThat(turn(loop, 16)).isEqualTo(ReadBuffer.TURN + 12L * ReadBuffer.LEAST);
        assertThat(turn(loop, 16)).isEqualTo(ReadBuffer.TURN);
        loop.close().block(Duration.ofSeconds(30));
    }

    @Test
    void thoseWithTlsShareItToo() {
        NettyLoop loop = NettyLoop.start("reading", Waiting.FRUGAL, false);
        Supplier<RecvByteBufAllocator> reads = () -> ReadBuffer.ofLoop().apart();
        long least = ReadBuffer.TURN + 1000L * ReadBuffer.LEAST;
        assertThat(turn(loop, 1000, reads)).isBetween((long) ReadBuffer.TURN, least + ReadBuffer.SIZE);
        assertThat(turn(loop, 1000, reads)).isBetween(1000L * ReadBuffer.LEAST, 2000L * ReadBuffer.LEAST);
        assertThat(turn(loop, 1000)).isEqualTo(1000L * (ReadBuffer.TURN / 1000));
        loop.close().block(Duration.ofSeconds(30));
    }

    private static long turn(NettyLoop loop, int sockets) {
        return turn(loop, sockets, ReadBuffer::ofLoop);
    }

    /** As many sockets, which bring as much as they may; how much that was. */
    private static long turn(NettyLoop loop, int sockets, Supplier<RecvByteBufAllocator> reads) {
        EmbeddedChannel channel = new EmbeddedChannel();
        long bytes = OnLoop.get(loop, () -> {
            long sum = 0;
            for (int i = 0; i < sockets; i++) {
                sum += read(reads.get(), channel.config());
            }
            return sum;
        });
        // A timer is due in another turn.
        CompletableFuture<Void> later = new CompletableFuture<>();
        var timer = loop.schedule(() -> later.complete(null), Duration.ofMillis(1));
        OnLoop.await(later);
        timer.dispose();
        var unused = channel.close();
        return bytes;
    }

    @SuppressWarnings("deprecation") // Netty's only way to ask.
    private static long read(RecvByteBufAllocator reads, ChannelConfig config) {
        var handle = (RecvByteBufAllocator.ExtendedHandle) reads.newHandle();
        handle.reset(config);
        long sum = 0;
        do {
            ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
            int length = buffer.writableBytes();
            handle.attemptedBytesRead(length);
            handle.lastBytesRead(length);
            handle.incMessagesRead(1);
            sum += length;
            buffer.release();
        } while (handle.continueReading(() -> true));
        // When the other side has ended, Netty reads on all the same, and a read of nothing would be the end.
        ByteBuf further = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
        assertThat(further.writableBytes()).isGreaterThanOrEqualTo(ReadBuffer.LEAST);
        further.release();
        handle.readComplete();
        return sum;
    }
}
