package io.weir.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Overloaded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class ChannelsTest {

    private static final int MOST = 3;

    private final SessionPair pair =
            new SessionPair(NodeSpec.builder().maxChannels(MOST).build(), 16);
    private final List<Channel> opened = new ArrayList<>();
    private final List<Throwable> refused = new ArrayList<>();

    @AfterEach
    void end() {
        pair.end();
        assertThat(pair.client.channelCount()).isZero();
        assertThat(pair.server.channelCount()).isZero();
    }

    private void open(Session from) {
        from.peer().channel("port").subscribe(opened::add, refused::add);
        pair.loop.settle();
    }

    private void serve() {
        pair.ports.serve("port", new ServeHandler(pair.ports, channel -> Mono.never()));
    }

    @Test
    void eachSideHasNumbersOfItsOwn() {
        serve();
        open(pair.client);
        open(pair.client);
        assertThat(opened).extracting(Channel::number).containsExactly(1, 3);
        assertThat(pair.server.channels().find(3)).isNotNull();
        assertThat(pair.server.channels().find(2)).isNull();
    }

    @Test
    void oneTooManyIsRefusedHere() {
        serve();
        for (int i = 0; i < MOST + 1; i++) {
            open(pair.client);
        }
        assertThat(opened).hasSize(MOST);
        assertThat(refused).singleElement().isInstanceOf(Overloaded.class);
        assertThat(refused.get(0)).hasMessageContaining("weir.max.channels=" + MOST);
    }

    @Test
    void oneTooManyIsRefusedThere() {
        serve();
        for (int number = 1; number <= 2 * MOST + 1; number += 2) {
            pair.server.frame(new Frame()
                    .set(FrameKind.OPEN, 0, number, 0, Unpooled.copiedBuffer("port", UTF_8))
                    .words(1, 1 << 16));
        }
        assertThat(pair.server.channelCount()).isEqualTo(MOST);
        assertThat(pair.server.channels().find(2 * MOST + 1)).isNull();
        assertThat(pair.server.endedWith()).isNull();
        assertThat(pair.server.outbox().lanes().size())
                .as("each is accepted, or refused, at the end of the turn")
                .isEqualTo(MOST + 1);
    }

    @Test
    void whatIsSaidOfAChannelThatHasEndedIsOverlooked() {
        serve();
        open(pair.client);
        Channel channel = opened.get(0);
        channel.close().subscribe();
        pair.loop.settle();
        assertThat(pair.server.channelCount()).isZero();
        pair.server.frame(
                new Frame().set(FrameKind.CREDIT, 0, channel.number(), 0).words(1, 1));
        assertThat(pair.server.endedWith()).isNull();
    }

    @Test
    void ofAChannelThatNeverWasNothingMayBeSaid() {
        pair.server.frame(new Frame().set(FrameKind.CREDIT, 0, 1, 0).words(1, 1));
        assertThat(pair.server.endedWith()).hasMessageContaining("CREDIT for channel 1, which is not open");
    }
}
