package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.core.Message;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What long messages cost beside their bytes. */
@Tag("one-jdk")
class LongMessagesTest {

    private static final int MESSAGES = 40;
    private static final int LENGTH = 1 << 20;

    /** Whichever of the allocator's arenas the loop has got, and whoever else uses it. */
    @Test
    void oneAfterTheOtherDoNotHaveTheSystemClearMemoryForEach() {
        Node far = Tunnel.start("far", "tcp");
        Node near = Tunnel.start("near", "tcp");
        try {
            far.serve(
                    "sink",
                    channel -> channel.send(channel.receive().map(message -> {
                        message.release();
                        return Message.of("next");
                    })));
            Channel channel = Tunnel.got(Tunnel.got(near.connect(far.address())).channel("sink"));
            long before = chunks();

            channel.send(Flux.concat(
                            Mono.fromSupplier(LongMessagesTest::message),
                            channel.receive().take(MESSAGES - 1).map(next -> {
                                next.release();
                                return message();
                            })))
                    .block(Tunnel.LIMIT);

            assertThat(chunks() - before).isLessThan(MESSAGES / 2);
        } finally {
            near.close().then(far.close()).block(Tunnel.LIMIT);
        }
    }

    private static Message message() {
        return Message.of(new byte[LENGTH]);
    }

    private static long chunks() {
        return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
                .mapToLong(PoolArenaMetric::numChunkAllocations)
                .sum();
    }
}
