package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.config.PeerSpec;
import io.weir.core.PathRequired;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** In virtual time, with tries that end as the test says. */
class NamedPeerTest {

    private static final PeerSpec LAZY = PeerSpec.of("desk:7000");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualLoop loop = new ManualLoop();
    private final List<MonoSink<Peer>> tries = new ArrayList<>();
    private int cancelled;
    private boolean unreachable;

    /** What one who waits has got. */
    private static final class Got {
        final AtomicReference<Peer> peer = new AtomicReference<>();
        final AtomicReference<Throwable> error = new AtomicReference<>();
        Disposable waiting;

        boolean nothing() {
            return peer.get() == null && error.get() == null;
        }
    }

    private NamedPeer named(PeerSpec spec) {
        return new NamedPeer("desk", spec, Duration.ofSeconds(10), loop, Mono.create(sink -> {
            tries.add(sink);
            sink.onCancel(() -> cancelled++);
            if (unreachable) {
                sink.error(new PeerUnavailable("nobody listens at try " + tries.size()));
            }
        }));
    }

    private Got ask(NamedPeer peer) {
        Got got = new Got();
        got.waiting = peer.get().subscribe(got.peer::set, got.error::set);
        loop.settle();
        return got;
    }

    private MonoSink<Peer> lastTry() {
        return tries.get(tries.size() - 1);
    }

    private SessionPair connect() {
        SessionPair pair = new SessionPair(NodeSpec.builder().build(), 16);
        lastTry().success(pair.client.peer());
        loop.settle();
        return pair;
    }

    private void lose(SessionPair pair) {
        pair.links[0].lose("the cable was cut");
        pair.loop.settle();
        loop.settle();
    }

    private void fail(WeirException reason) {
        lastTry().error(reason);
        loop.settle();
    }

    @Test
    void failsFast() {
        NamedPeer peer = named(LAZY);
        assertThat(tries).as("lazy").isEmpty();
        Got first = ask(peer);
        Got second = ask(peer);
        assertThat(tries).as("one try for both").hasSize(1);
        assertThat(peer.state().status()).isEqualTo(PeerState.Status.CONNECTING);
        PeerUnavailable reason = new PeerUnavailable("nobody listens");
        fail(reason);
        assertThat(first.error.get()).isSameAs(reason);
        assertThat(second.error.get()).isSameAs(reason);
        assertThat(loop.timers()).isZero();
        assertThat(peer.state().status()).isEqualTo(PeerState.Status.AWAY);
        assertThat(peer.state().lastFailure()).contains("nobody listens");
        assertThat(peer.state().nextTry()).isEmpty();
        var unused = ask(peer);
        assertThat(tries).as("who asks later has a try of its own").hasSize(2);
    }

    @Test
    void waitsAndTriesAgain() {
        unreachable = true;
        NamedPeer peer = named(LAZY.withPatience(SECOND));
        Got got = ask(peer);
        // After 100, 200 and 400 ms, each a quarter more or less.
        for (int i = 0; i < 999; i++) {
            loop.advance(Duration.ofMillis(1));
        }
        assertThat(got.nothing()).isTrue();
        assertThat(peer.state().nextTry()).isPresent();
        loop.advance(Duration.ofMillis(1));
        assertThat(got.error.get())
                .isInstanceOf(PeerUnavailable.class)
                .hasMessage("the peer desk (tcp://desk:7000) can't be reached: tried 4 times in 1s"
                        + " (weir.peers.desk.wait); the last reason: nobody listens at try 4");
        assertThat(loop.timers()).isZero();
        assertThat(tries).hasSize(4);
        loop.advance(Duration.ofMinutes(1));
        assertThat(tries).as("nobody waits any more").hasSize(4);
        assertThat(peer.state().nextTry()).isEmpty();
    }

    @Test
    void givesUpATryThatDoesNotEnd() {
        NamedPeer peer = named(LAZY.withPatience(SECOND));
        Got got = ask(peer);
        loop.advance(SECOND);
        assertThat(got.error.get())
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("tried once in 1s (weir.peers.desk.wait); no try has come to an end");
        assertThat(cancelled).isEqualTo(1);
        assertThat(loop.timers()).isZero();
    }

    @Test
    void whoWaitsGetsItWhenItComes() {
        NamedPeer peer = named(LAZY.withPatience(SECOND.multipliedBy(5)));
        Got first = ask(peer);
        fail(new Refused("it is closing"));
        assertThat(first.nothing()).as("who refuses may accept later").isTrue();
        loop.advance(Duration.ofMillis(125));
        assertThat(tries).hasSize(2);
        Got second = ask(peer);
        SessionPair pair = connect();
        assertThat(first.peer.get()).isSameAs(pair.client.peer());
        assertThat(second.peer.get()).isSameAs(pair.client.peer());
        assertThat(ask(peer).peer.get()).isSameAs(pair.client.peer());
        assertThat(tries).hasSize(2);
        assertThat(peer.state().status()).isEqualTo(PeerState.Status.CONNECTED);
    }

    @Test
    void eachHasItsOwnLimitAndMayLeave() {
        unreachable = true;
        NamedPeer peer = named(LAZY.withPatience(SECOND));
        Got first = ask(peer);
        loop.advance(Duration.ofMillis(600));
        Got second = ask(peer);
        Got third = ask(peer);
        first.waiting.dispose();
        third.waiting.dispose();
        loop.settle();
        loop.advance(Duration.ofMillis(900));
        assertThat(second.nothing()).isTrue();
        assertThat(first.nothing() && third.nothing()).isTrue();
        loop.advance(Duration.ofMillis(100));
        assertThat(second.error.get()).isInstanceOf(PeerUnavailable.class);
        assertThat(loop.timers()).isZero();
    }

    @Test
    void theLastOneWhoLeavesEndsTheTry() {
        NamedPeer peer = named(LAZY.withPatience(SECOND));
        Got first = ask(peer);
        Got second = ask(peer);
        first.waiting.dispose();
        loop.settle();
        assertThat(cancelled).isZero();
        second.waiting.dispose();
        loop.settle();
        assertThat(cancelled).isEqualTo(1);
        assertThat(loop.timers()).isZero();
        assertThat(peer.state().status()).isEqualTo(PeerState.Status.AWAY);
        Disposable hasty = peer.get().subscribe();
        hasty.dispose();
        loop.settle();
        assertThat(tries).as("who has left before anything began").hasSize(1);
    }

    @Test
    void whatHasEndedIsNotHandedOut() {
        NamedPeer peer = named(LAZY);
        var unused = ask(peer);
        SessionPair first = connect();
        first.links[0].lose("the cable was cut");
        first.loop.settle();
        Got again = ask(peer);
        assertThat(again.nothing()).isTrue();
        assertThat(peer.state().lastFailure().orElseThrow()).contains("the cable was cut");
        lastTry().success(first.client.peer());
        loop.settle();
        assertThat(again.error.get()).as("a try that yields the dead").isInstanceOf(PeerUnavailable.class);
        Got third = ask(peer);
        SessionPair second = connect();
        assertThat(third.peer.get()).isSameAs(second.client.peer());
    }

    @Test
    void isKept() {
        NamedPeer peer = named(LAZY.with(PeerSpec.Connect.EAGER));
        peer.keep();
        loop.settle();
        assertThat(tries).hasSize(1);
        SessionPair pair = connect();
        for (int round = 2; round < 9; round++) {
            lose(pair);
            assertThat(peer.state().status()).isEqualTo(PeerState.Status.AWAY);
            assertThat(peer.state().nextTry()).isPresent();
            // It has not lasted: the pauses grow.
            loop.advance(Duration.ofMillis(Math.min(12_500, 125L << (round - 2))));
            assertThat(tries).hasSize(round);
            pair = connect();
        }
        loop.advance(Duration.ofSeconds(10));
        lose(pair);
        loop.advance(Duration.ofMillis(125));
        assertThat(tries).as("it has lasted").hasSize(9);
        pair = connect();
        assertThat(ask(peer).peer.get()).isSameAs(pair.client.peer());
        assertThat(peer.state().nextTry()).isEmpty();
    }

    @Test
    void isTriedForAsLongAsTheNodeLives() {
        unreachable = true;
        NamedPeer peer = named(LAZY.with(PeerSpec.Connect.EAGER));
        peer.keep();
        for (int i = 0; i < 36_000; i++) {
            loop.advance(Duration.ofMillis(100));
        }
        assertThat(tries.size()).as("in an hour, every 10 s").isBetween(360 * 4 / 5, 360 * 4 / 3 + 10);
        int before = tries.size();
        Got got = ask(peer);
        assertThat(got.error.get()).as("a call has a try of its own").hasMessageContaining("try " + (before + 1));
        peer.close(new Refused("closing"));
        loop.settle();
        assertThat(loop.timers()).isZero();
        loop.advance(Duration.ofMinutes(1));
        assertThat(tries).hasSize(before + 1);
        assertThat(ask(peer).error.get()).hasMessage("closing");
    }

    @Test
    void whatNoRepetitionHelpsIsToldAtOnce() {
        NamedPeer peer = named(LAZY.with(PeerSpec.Connect.EAGER).withPatience(SECOND.multipliedBy(60)));
        peer.keep();
        Got got = ask(peer);
        PathRequired reason = new PathRequired("no shm");
        fail(reason);
        assertThat(got.error.get()).isSameAs(reason);
        loop.advance(Duration.ofMillis(7_499));
        assertThat(tries).hasSize(1);
        loop.advance(Duration.ofMillis(5_001));
        assertThat(tries).as("but it is kept").hasSize(2);
        fail(reason);
        Got later = ask(peer);
        assertThat(tries).as("no sense in waiting for the end of the pause").hasSize(3);
        fail(reason);
        assertThat(later.error.get()).isSameAs(reason);
        loop.advance(Duration.ofMillis(12_500));
        assertThat(tries).hasSize(4);
        SessionPair pair = connect();
        assertThat(ask(peer).peer.get()).isSameAs(pair.client.peer());
    }

    @ParameterizedTest
    @EnumSource(PeerSpec.Connect.class)
    void closingEndsEverything(PeerSpec.Connect connect) {
        NamedPeer peer = named(LAZY.with(connect).withPatience(SECOND));
        if (connect != PeerSpec.Connect.LAZY) {
            peer.keep();
        }
        Got got = ask(peer);
        peer.close(new Refused("closing"));
        loop.settle();
        assertThat(got.error.get()).hasMessage("closing");
        assertThat(cancelled).isEqualTo(1);
        assertThat(loop.timers()).isZero();
        assertThat(peer.state().status()).isEqualTo(PeerState.Status.AWAY);
    }
}
