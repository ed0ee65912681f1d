package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Mailbox;
import io.weir.channel.Received;
import io.weir.core.Message;
import io.weir.core.PeerMemory;
import io.weir.integration.Nodes;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ShmChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.SHM;
    }

    /** Nobody knows how long it stays there, and all memory of its sender would stay with it. */
    @Test
    void whatIsInAMailboxKeepsNoMemoryOfItsSender(Nodes nodes) {
        Pair pair = nodes.pair();
        Mailbox mailbox = pair.far().mailbox("parcels");
        ByteBuf parcel = pair.peer().allocator().buffer(100_000).writeZero(100_000);
        pair.peer().tell("parcels", Message.of(parcel)).block(Patience.LIMIT);

        Received received = mailbox.next().block(Patience.LIMIT);

        ByteBuf body = Objects.requireNonNull(received).message().payload();
        assertThat(body.readableBytes()).isEqualTo(100_000);
        for (ByteBuf inner = body; inner != null; inner = inner.unwrap()) {
            assertThat(inner).isNotInstanceOf(PeerMemory.class);
        }
        received.release();
    }

    /** A loop that has gone to sleep is woken, and that is counted on both sides. */
    @Test
    void wakeUpsAreCounted(Nodes nodes) {
        Pair pair = nodes.pair();
        long before = pair.far().wakeUps();
        Patience.until(() -> "somebody was woken: " + pair.stats(), () -> {
            pair.settle();
            return pair.stats().wakeUps() > 0 && pair.far().wakeUps() > before;
        });
    }
}
