package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.flow.Lane;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutboxTest {

    private static final int ROOM = 2;

    private final SessionPair pair = new SessionPair(NodeSpec.builder().build(), ROOM);
    private final Outbox outbox = pair.client.outbox();
    private final List<String> pushed = new ArrayList<>();

    @AfterEach
    void end() {
        pair.end();
    }

    private Frame ping() {
        return outbox.frame().set(FrameKind.PONG, 0, 0, 0);
    }

    /** Has one frame to send. */
    private final class Once implements Outgoing {

        private final String name;

        Once(String name) {
            this.name = name;
        }

        @Override
        public boolean push() {
            boolean taken = outbox.offer(ping());
            if (taken) {
                pushed.add(name);
                // Goes on with what waits, as the sender does that asks its source for more.
                outbox.drain();
            }
            return taken;
        }

        @Override
        public void list() {
            outbox.lanes().add(Lane.CONTROL, this);
        }

        @Override
        public void putBack() {
            outbox.lanes().putBack(Lane.CONTROL, this);
        }
    }

    @Test
    void aFullLinkIsNotOfferedMoreUntilItHasRoom() {
        assertThat(outbox.clear()).isTrue();
        assertThat(outbox.offer(ping())).isTrue();
        assertThat(outbox.offer(ping())).isTrue();
        assertThat(outbox.offer(ping())).isFalse();
        assertThat(outbox.clear()).isFalse();
        assertThat(pair.links[1].takeOne()).isTrue();
        assertThat(outbox.offer(ping()))
                .as("nobody has said that there is room")
                .isFalse();
        pair.loop.settle();
        assertThat(outbox.clear()).isTrue();
    }

    @Test
    void whatWaitsGoesInOrderHoweverOftenTheLinkIsFull() {
        for (int i = 0; i < 5; i++) {
            new Once("number " + i).list();
        }
        outbox.drainLater();
        assertThat(pushed).as("only at the end of the turn").isEmpty();
        pair.loop.settle();
        assertThat(pushed).containsExactly("number 0", "number 1", "number 2", "number 3", "number 4");
        assertThat(outbox.clear()).isTrue();
    }

    @Test
    void behindTheEndNothingIsSent() {
        new Once("late").list();
        outbox.end();
        outbox.drainLater();
        outbox.drain();
        outbox.writable();
        assertThat(outbox.offer(ping())).isFalse();
        pair.loop.settle();
        assertThat(pushed).isEmpty();
    }
}
