package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.PeerUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class LeavingTest {

    private static final int ROOM = 4;

    private final SessionPair pair = new SessionPair(NodeSpec.builder().build(), ROOM);

    @AfterEach
    void end() {
        pair.end();
        assertThat(pair.loop.timers()).isZero();
    }

    private static AtomicBoolean done(Mono<Void> mono) {
        AtomicBoolean done = new AtomicBoolean();
        mono.subscribe(nothing -> {}, error -> {}, () -> done.set(true));
        return done;
    }

    /** The server's link takes no more until a turn of the loop has emptied it. */
    private void fillServersLink() {
        while (pair.links[1].offer(new Frame().set(FrameKind.PONG, 0, 0, 0))) {
            // Until it is full.
        }
    }

    @Test
    void whoIsInformedBeginsNothingMore() {
        AtomicBoolean informed = done(pair.server.leaving().inform());
        assertThat(informed).isFalse();
        pair.loop.advance(Duration.ofMillis(5));
        assertThat(informed).isTrue();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        pair.client.peer().channel("any").subscribe(channel -> {}, refused::set);
        pair.loop.settle();
        assertThat(refused.get()).isInstanceOf(PeerUnavailable.class).hasMessageContaining("is going to leave");
        assertThat(pair.server.endedWith()).as("it has only announced that").isNull();
    }

    @Test
    void aPeerThatDoesNotAnswerIsWaitedForASecond() {
        AtomicBoolean informed = done(pair.server.leaving().inform());
        pair.links[0].takeNothing(true);
        pair.loop.advance(Duration.ofMillis(999));
        assertThat(informed).isFalse();
        pair.loop.advance(Duration.ofMillis(1));
        assertThat(informed).isTrue();
        pair.links[0].takeNothing(false);
    }

    @Test
    void theGoodbyeReachesThePeer() {
        AtomicBoolean left = done(pair.server.leaving().leave("the shop is closed"));
        pair.loop.advance(Duration.ofMillis(5));
        assertThat(left).isTrue();
        assertThat(pair.client.endedWith()).hasMessageContaining("has left").hasMessageContaining("the shop is closed");
        assertThat(pair.server.endedWith()).hasMessageContaining("was closed here: the shop is closed");
    }

    @Test
    void theGoodbyeWaitsForRoom() {
        fillServersLink();
        AtomicBoolean left = done(pair.server.leaving().leave("bye"));
        assertThat(pair.server.endedWith()).isNotNull();
        assertThat(left).isFalse();
        pair.loop.settle();
        assertThat(left).isTrue();
        assertThat(pair.client.endedWith()).hasMessageContaining("has left").hasMessageContaining("bye");
    }

    @Test
    void forRoomItWaitsASecond() {
        pair.links[0].takeNothing(true);
        fillServersLink();
        AtomicBoolean left = done(pair.server.leaving().leave("bye"));
        pair.loop.advance(Duration.ofMillis(999));
        assertThat(left).isFalse();
        pair.loop.advance(Duration.ofMillis(1));
        assertThat(left).isTrue();
    }

    @Test
    void whoeverLeavesTwiceLearnsOfTheSameEnd() {
        fillServersLink();
        List<AtomicBoolean> left = new ArrayList<>();
        left.add(done(pair.server.leaving().leave("first")));
        left.add(done(pair.server.leaving().leave("second")));
        assertThat(left).noneMatch(AtomicBoolean::get);
        pair.loop.settle();
        assertThat(left).allMatch(AtomicBoolean::get);
        assertThat(done(pair.server.leaving().leave("third"))).isTrue();
        assertThat(pair.client.endedWith()).hasMessageContaining("first");
    }

    @Test
    void aConditionIsAwaitedUntilItHoldsOrTheLimitHasPassed() {
        AtomicBoolean holds = new AtomicBoolean();
        AtomicBoolean fulfilled = done(pair.server.leaving().await(holds::get, Duration.ofSeconds(5)));
        AtomicBoolean limited = done(pair.server.leaving().await(() -> false, Duration.ofMillis(20)));
        pair.loop.advance(Duration.ofMillis(10));
        assertThat(fulfilled).isFalse();
        assertThat(limited).isFalse();
        holds.set(true);
        pair.loop.advance(Duration.ofMillis(5));
        assertThat(fulfilled).isTrue();
        assertThat(limited).isFalse();
        pair.loop.advance(Duration.ofMillis(5));
        assertThat(limited).isTrue();
        assertThat(done(pair.server.leaving().await(() -> false, Duration.ZERO)))
                .isTrue();
    }

    @Test
    void theEndOfTheSessionEndsAllWaiting() {
        AtomicBoolean awaited = done(pair.server.leaving().await(() -> false, Duration.ofDays(1)));
        pair.links[0].takeNothing(true);
        AtomicBoolean informed = done(pair.server.leaving().inform());
        pair.server.forsake("enough");
        assertThat(awaited).isTrue();
        assertThat(informed).isTrue();
        pair.links[0].takeNothing(false);
    }
}
