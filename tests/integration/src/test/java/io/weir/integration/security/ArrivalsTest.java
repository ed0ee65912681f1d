package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.config.Secret;
import io.weir.core.FrameKind;
import io.weir.core.TlsSpec;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import io.weir.peer.Arrival;
import io.weir.peer.Arrival.Outcome;
import io.weir.tck.Authority;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

/** What a node records of those who connect to it. */
@Tag("one-jdk")
class ArrivalsTest implements OnRoute {

    private static final String WORDS = "the-words-that-all-of-them-share";

    private static final class Watch {

        private final List<Arrival> all = Collections.synchronizedList(new ArrayList<>());

        @SuppressWarnings("unused") // Ends with its node.
        private final Disposable watching;

        Watch(Node node) {
            watching = node.arrivals().subscribe(all::add);
        }

        Arrival next(Outcome expected) {
            Patience.until("somebody has come", () -> !all.isEmpty());
            Arrival next = all.remove(0);
            assertThat(next.outcome()).as(next.toString()).isEqualTo(expected);
            return next;
        }
    }

    private static long count(Node node) {
        return Arrays.stream(Outcome.values()).mapToLong(node::arrivals).sum();
    }

    @Test
    void whoHasComeAndWhatWasProved(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.secret(Secret.of(WORDS)));
        Node near = nodes.start("near", spec -> spec.secret(Secret.of(WORDS)));
        Watch watch = new Watch(far);
        Instant begin = Instant.now();
        Pair pair = nodes.connect(near, far);
        pair.settle();

        Arrival arrival = watch.next(Outcome.CONNECTED);
        assertThat(arrival.cameIn()).isTrue();
        assertThat(arrival.from()).startsWith("tcp://127.0.0.1:");
        assertThat(arrival.claimed()).isEqualTo(near.id());
        assertThat(arrival.identity()).isNotNull();
        assertThat(Objects.requireNonNull(arrival.identity()).knowsSecret()).isTrue();
        assertThat(arrival.encrypted()).isFalse();
        assertThat(arrival.reason()).isEmpty();
        assertThat(arrival.at()).isBetween(begin.minusMillis(1), Instant.now());
        assertThat(far.arrivals(Outcome.CONNECTED)).isEqualTo(1);
        assertThat(count(near)).as("connections that it has made itself").isZero();
    }

    @Test
    void whoHasProvedNothing(Nodes nodes) {
        Node far = nodes.start("far", spec -> spec.secret(Secret.of(WORDS)));
        Node near = nodes.start("near", spec -> spec.secret(Secret.of("what-somebody-else-might-say")));
        Watch watch = new Watch(far);
        StepVerifier.create(near.connect(far.address())).expectError().verify(Patience.LIMIT);

        Arrival arrival = watch.next(Outcome.UNPROVED);
        assertThat(arrival.cameIn()).isFalse();
        assertThat(arrival.claimed()).isEqualTo(near.id());
        assertThat(arrival.identity()).isNull();
        assertThat(arrival.reason()).contains("weir.security.secret").doesNotContain(WORDS);
        assertThat(count(far)).isEqualTo(1);
    }

    @Test
    void whoBreaksTheProtocolOrLeaves(Nodes nodes) {
        Node node = nodes.start("node");
        Watch watch = new Watch(node);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.hello();
            stranger.send(FrameKind.HELLO, 0, 0, 0, new byte[0]);
            stranger.awaitEnd();
            assertThat(watch.next(Outcome.BREACH).claimed()).isEqualTo(stranger.is);
        }
        Stranger leaving = Stranger.connect(node.address());
        leaving.greet();
        leaving.close();
        assertThat(watch.next(Outcome.GONE).claimed()).isEqualTo(leaving.is);
        try (Stranger refusing = Stranger.connect(node.address())) {
            refusing.hello();
            refusing.send(FrameKind.REFUSE, 2, 0, 0, "not you".getBytes(StandardCharsets.UTF_8));
            assertThat(watch.next(Outcome.GONE).reason()).contains("not you");
        }
        assertThat(count(node)).isEqualTo(3);
    }

    @Test
    void whoSaysNothing(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.handshakeTimeout(Duration.ofMillis(300)));
        Watch watch = new Watch(node);
        try (Stranger stranger = Stranger.connect(node.address())) {
            stranger.awaitEnd();
            Arrival arrival = watch.next(Outcome.TIMED_OUT);
            assertThat(arrival.claimed()).isNull();
            assertThat(arrival.reason()).contains("weir.timeout.handshake");
        }
    }

    @Test
    void whoFindsNoRoom(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.maxHandshakes(1));
        Watch watch = new Watch(node);
        try (Stranger first = Stranger.connect(node.address());
                Stranger second = Stranger.connect(node.address())) {
            assertThat(first.refusal().text()).contains("weir.max.handshakes");
            assertThat(watch.next(Outcome.OVERLOADED).reason()).contains("weir.max.handshakes");
            second.close();
            assertThat(watch.next(Outcome.GONE).claimed()).isNull();
        }
    }

    /** A session goes on only on its own loop: who comes on the other one is to come again, and is awaited there. */
    @Test
    void whoComesOnAnotherLoop(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.loops(2).rejoinTimeout(Duration.ofSeconds(30)));
        Watch watch = new Watch(node);
        try (Stranger stranger = Stranger.inSession(node.address())) {
            assertThat(watch.next(Outcome.CONNECTED).claimed()).isEqualTo(stranger.is);
            stranger.close();
            try (Stranger first = stranger.again(node.address())) {
                first.rejoin(stranger.sessionNumber);
                assertThat(first.refusal().text()).contains("another loop");
                assertThat(watch.next(Outcome.SUPERSEDED).reason()).contains("another loop");
            }
            try (Stranger second = stranger.again(node.address())) {
                second.rejoin(stranger.sessionNumber);
                assertThat(second.await(FrameKind.REJOIN)).isNotNull();
                assertThat(watch.next(Outcome.RESUMED).claimed()).isEqualTo(stranger.is);
            }
        }
    }

    @Test
    void aSessionThatGoesOnAndOneThatIsNotThere(Nodes nodes) {
        Node node = nodes.start("node", spec -> spec.rejoinTimeout(Duration.ofSeconds(30)));
        Watch watch = new Watch(node);
        try (Stranger stranger = Stranger.inSession(node.address())) {
            var unused = watch.next(Outcome.CONNECTED);
            try (Stranger other = Stranger.connect(node.address())) {
                other.rejoin(stranger.sessionNumber);
                assertThat(other.refusal().text()).contains("this session has ended");
                Arrival arrival = watch.next(Outcome.REFUSED);
                assertThat(arrival.reason()).contains("this session has ended");
            }
            stranger.close();
            try (Stranger again = stranger.again(node.address())) {
                again.rejoin(stranger.sessionNumber);
                assertThat(again.await(FrameKind.REJOIN)).isNotNull();
                Arrival arrival = watch.next(Outcome.RESUMED);
                assertThat(arrival.claimed()).isEqualTo(stranger.is);
            }
        }
    }

    @Test
    void withWhomThereIsNoTls(Nodes nodes, @TempDir Path folder) throws Exception {
        Authority authority = Authority.in(folder, "ours");
        TlsSpec.Builder tls = authority.tls(authority.issue("node", "127.0.0.1"));
        Node far = TlsTalk.start(nodes, "far", tls);
        Watch watch = new Watch(far);
        Node plain = nodes.start("plain");
        StepVerifier.create(plain.connect(far.address())).expectError().verify(Patience.LIMIT);
        Arrival arrival = watch.next(Outcome.NO_TLS);
        assertThat(arrival.from()).startsWith("tcp://127.0.0.1:");
        assertThat(arrival.claimed()).isNull();
        assertThat(arrival.reason()).contains("it does not speak TLS");

        TlsTalk.talks(TlsTalk.start(nodes, "near", tls), far);
        arrival = watch.next(Outcome.CONNECTED);
        assertThat(arrival.encrypted()).isTrue();
    }

    /** Nobody who connects waits for somebody who watches. */
    @Test
    void whoDoesNotAskMissesIt(Nodes nodes) {
        Node far = nodes.start("far");
        AtomicReference<Watch> behind = new AtomicReference<>();
        StepVerifier.create(far.arrivals().next(), 0)
                // Hears of each arrival later than the one under test.
                .then(() -> behind.set(new Watch(far)))
                .then(() -> nodes.connect(nodes.start("near"), far).settle())
                .then(() -> assertThat(behind.get().next(Outcome.CONNECTED)).isNotNull())
                .thenRequest(1)
                .then(() -> nodes.connect(nodes.start("later"), far).settle())
                .assertNext(arrival -> assertThat(
                                Objects.requireNonNull(arrival.claimed()).name())
                        .isEqualTo("later"))
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    /** Against the rules, and on the loop. */
    @Test
    void whoFailsWhileItWatchesDisturbsNobody(Nodes nodes) {
        Node far = nodes.start("far");
        try (LogLines logged = new LogLines("io.weir.channel.Node")) {
            far.arrivals().subscribe(new CoreSubscriber<>() {
                @Override
                public void onSubscribe(Subscription subscription) {
                    subscription.request(Long.MAX_VALUE);
                }

                @Override
                public void onNext(Arrival arrival) {
                    throw new LinkageError("a watcher that fails");
                }

                @Override
                public void onError(Throwable error) {
                    throw new AssertionError(error);
                }

                @Override
                public void onComplete() {
                    throw new AssertionError("never");
                }
            });
            for (String name : List.of("first", "second")) {
                nodes.connect(nodes.start(name), far).settle();
            }
            logged.await(Level.WARN, "a watcher that fails");
            Patience.until("both are counted", () -> far.arrivals(Outcome.CONNECTED) == 2);
        }
    }

    /** One line each, in a log of its own. */
    @Test
    void theLog(Nodes nodes) {
        Node far = nodes.start("far");
        try (LogLines logged = new LogLines("io.weir.audit")) {
            nodes.connect(nodes.start("an \"odd\" name"), far).settle();
            logged.await(Level.DEBUG, "outcome=CONNECTED from=\"tcp://127.0.0.1:", " peer=\"an 'odd' name\" id=\"");
        }
    }
}
