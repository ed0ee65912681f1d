package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.SessionLost;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

class KeepAliveTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final NodeSpec spec = NodeSpec.builder()
            .keepAliveInterval(INTERVAL)
            .keepAliveTimeout(Duration.ofSeconds(60))
            .build();

    private final SessionPair pair = new SessionPair(spec, 16);

    /** The client hears nothing any more; what it says still goes out. */
    private void deafen() {
        pair.loop.remove(pair.links[0]);
    }

    private void pass(int intervals) {
        for (int i = 0; i < intervals; i++) {
            pair.loop.advance(INTERVAL);
        }
    }

    private int sent() {
        return pair.links[0].sent + pair.links[1].sent;
    }

    @Test
    void aPeerThatHasNothingToSayStays() {
        pass(1_000);
        assertThat(pair.client.endedWith()).isNull();
        assertThat(pair.server.endedWith()).isNull();
        assertThat(sent())
                .as("a question and an answer from either side at most")
                .isBetween(1_000, 4_000);
    }

    @Test
    void whatAnIdlePeerNeedsToAnswerIsMeasured() {
        assertThat(pair.client.stats().roundTrips()).isEqualTo(RoundTrips.NONE);
        pass(10);
        assertThat(pair.client.stats().roundTrips().count()).isBetween(1L, 10L);
        assertThat(pair.client.stats().roundTrips().max()).isPositive();
        deafen();
        long before = pair.client.stats().allRoundTrips().count();
        pass(3);
        assertThat(pair.client.stats().allRoundTrips().count()).isEqualTo(before);
    }

    @Test
    void underTrafficNobodyIsAsked() {
        int without = framesOf(Duration.ofMinutes(30));
        int with = framesOf(INTERVAL);
        assertThat(with).isEqualTo(without);
    }

    /** For an hour, each side sends a message every 5 seconds. */
    private static int framesOf(Duration interval) {
        NodeSpec spec = NodeSpec.builder()
                .keepAliveInterval(interval)
                .keepAliveTimeout(Duration.ofHours(1))
                .build();
        SessionPair pair = new SessionPair(spec, 16);
        pair.ports.serve("echo", new ServeHandler(pair.ports, channel -> channel.send(channel.receive())));
        Channel channel = pair.open("echo");
        var messages = Sinks.many().unicast().<Message>onBackpressureBuffer();
        channel.send(messages.asFlux()).subscribe();
        channel.receive().subscribe(Message::release);
        for (int i = 0; i < 720; i++) {
            pair.loop.advance(Duration.ofSeconds(5));
            messages.tryEmitNext(Message.of("there")).orThrow();
            pair.loop.settle();
        }
        return pair.links[0].sent + pair.links[1].sent;
    }

    @Test
    void whoSaysNothingIsGivenUpAndIsToldSo() {
        pair.ports.serve(
                "mute",
                new ServeHandler(pair.ports, channel -> channel.receive().then()));
        Channel channel = pair.open("mute");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        channel.receive().subscribe(Message::release, failure::set);
        pass(3);
        deafen();
        pass(5);
        assertThat(pair.client.endedWith()).isNull();
        pass(2);
        assertThat(pair.client.endedWith())
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("server")
                .hasMessageContaining("has said nothing for 1m although its connection is open")
                .hasMessageContaining("weir.keepalive.timeout");
        assertThat(failure.get()).isSameAs(pair.client.endedWith());
        assertThat(pair.server.endedWith())
                .isInstanceOf(SessionLost.class)
                .hasMessageContaining("has said nothing for 1m");
    }

    /** What the peer said while we were stopped lies unread when the first timer runs. */
    @Test
    void aPauseOfOursIsNotThePeersSilence() {
        pass(3);
        deafen();
        pair.loop.advance(Duration.ofMinutes(30));
        pair.loop.add(pair.links[0]);
        pass(10);
        assertThat(pair.client.endedWith()).isNull();
        assertThat(pair.server.endedWith()).isNull();
    }

    @Test
    void aSessionThatHasEndedLeavesNoTimer() {
        assertThat(pair.loop.timers()).isEqualTo(2);
        deafen();
        pass(8);
        assertThat(pair.client.endedWith()).isNotNull();
        assertThat(pair.server.endedWith()).isNotNull();
        assertThat(pair.loop.timers()).isZero();
    }

    /** Between the look that finds nothing and the last one, the answer comes and the session ends. */
    @Test
    void aSessionThatEndsBeforeTheLastLookLeavesNoTimer() {
        deafen();
        var unused = pair.loop.schedule(
                () -> {
                    assertThat(pair.links[0].takeOne()).isTrue();
                    pair.client.leaving().leave("bye").subscribe();
                },
                INTERVAL.multipliedBy(6).plusNanos(1));
        pass(5);
        assertThat(pair.client.endedWith()).isNull();
        pair.loop.advance(INTERVAL.plusNanos(1));
        assertThat(pair.client.endedWith()).hasMessageContaining("bye");
        assertThat(pair.server.endedWith()).isNotNull();
        assertThat(pair.loop.timers()).isZero();
    }

    /** The link is full for minutes, as by a long message over a slow one, and the peer has nothing to say to that. */
    @Test
    void whoSendsWithoutPauseIsAnsweredNevertheless() {
        SessionPair narrow = new SessionPair(spec, 1);
        narrow.ports.serve(
                "sink",
                new ServeHandler(
                        narrow.ports,
                        channel -> channel.receive().doOnNext(Message::release).then()));
        Channel channel = narrow.open("sink");
        byte[] piece = new byte[MemoryLink.MAX_FRAME];
        channel.send(Flux.range(0, 200).map(i -> Message.of(piece))).subscribe();
        narrow.loop.remove(narrow.links[1]);
        for (int turn = 0; turn < 600; turn++) {
            narrow.loop.advance(Duration.ofSeconds(1));
            if (turn % 5 == 0) {
                // The peer takes one frame off the link.
                var unused = narrow.links[1].takeOne();
            }
        }
        assertThat(narrow.client.endedWith()).isNull();
    }
}
