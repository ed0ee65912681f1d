package io.weir.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.PeerSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Misconfigured;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

class TestNodesTest {

    private static final Codec<String> TEXT = Codecs.text();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static void serve(Node node) {
        var unused = node.answer("upper", TEXT, TEXT, text -> Mono.just(text.toUpperCase(Locale.ROOT)));
    }

    private static Mono<String> ask(Peer peer) {
        return peer.ask("upper", "what", TEXT, TEXT);
    }

    private static void answers(Peer peer) {
        assertThat(ask(peer).block(PATIENCE)).isEqualTo("WHAT");
    }

    private static Peer started(TestNodes nodes) {
        serve(nodes.start("server"));
        var unused = nodes.start("client");
        return nodes.connect("client", "server");
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void nodesTalkOverThePath(String path) {
        Node client;
        try (TestNodes nodes = TestNodes.over(path)) {
            Peer peer = started(nodes);
            answers(peer);
            assertThat(peer.path().chosen().orElseThrow().path()).isEqualTo(path);
            assertThat(nodes.connect("client", "server")).isSameAs(peer);
            client = nodes.node("client");
        }
        assertThat(client.closed().blockOptional(PATIENCE)).isEmpty();
    }

    @Test
    void aCutHoldsACallUntilItIsMended() {
        try (TestNodes nodes = TestNodes.over("tcp")) {
            Peer peer = started(nodes);
            answers(peer);
            nodes.route("client", "server").cut();
            var held = ask(peer).toFuture();
            assertThatThrownBy(() -> held.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            nodes.mend();
            assertThat(held.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("WHAT");
        }
    }

    @Test
    void aConnectionThatIsResetGoesOn() {
        try (TestNodes nodes = TestNodes.over("tcp")) {
            Peer peer = started(nodes);
            answers(peer);
            nodes.route("client", "server").reset();
            answers(peer);
            assertThat(nodes.node("client").connected()).containsExactly(peer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp"})
    void whoIsKilledSaysNoGoodbye(String path) {
        try (TestNodes nodes = TestNodes.over(path)) {
            Peer peer = started(nodes);
            answers(peer);
            var begun = new CompletableFuture<Void>();
            var serving = nodes.node("server").answer("slow", request -> {
                request.release();
                begun.complete(null);
                return Mono.never();
            });
            var held = peer.ask("slow", "what", TEXT, TEXT).toFuture();
            begun.orTimeout(60, TimeUnit.SECONDS).join();
            nodes.kill("server");
            assertThatThrownBy(() -> held.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(SessionLost.class)
                    .hasMessageNotContaining("has left");
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().equals("weir-server-0"));
            assertThatThrownBy(() -> ask(peer).block(PATIENCE))
                    .isInstanceOf(SessionLost.class)
                    .hasMessageContaining("server")
                    .hasMessageNotContaining("has left");
            assertThatThrownBy(() -> nodes.node("server"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("[client]");
        }
    }

    @Test
    void whoTakesThePlaceOfTheKilledIsFound() {
        try (TestNodes nodes = TestNodes.over("tcp")) {
            String address = nodes.route("client", "server").address().toString();
            Node client = nodes.start(
                    "client",
                    settings -> settings.peer("server", PeerSpec.of(address).withPatience(PATIENCE)));
            serve(nodes.start("server"));
            answers(client.peer("server").block(PATIENCE));
            nodes.kill("server");
            serve(nodes.start("server"));
            String answer = Mono.defer(() -> client.peer("server").flatMap(TestNodesTest::ask))
                    .retryWhen(Retry.fixedDelay(1_000, Duration.ofMillis(20)).filter(WeirException.class::isInstance))
                    .block(PATIENCE);
            assertThat(answer).isEqualTo("WHAT");
        }
    }

    @Test
    void namesAreUsedOnce() {
        try (TestNodes nodes = TestNodes.over("local")) {
            var unused = nodes.start("one");
            assertThatThrownBy(() -> nodes.start("one"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'one'");
        }
        assertThatThrownBy(TestNodes::over).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofTwoThatAreStartedWithTheSameNameTheSecondIsRefused() {
        Node first;
        try (TestNodes nodes = TestNodes.over("local")) {
            var starts = new CompletableFuture<Void>();
            var goesOn = new CompletableFuture<Void>();
            var starting = CompletableFuture.supplyAsync(() -> nodes.start("one", settings -> {
                starts.complete(null);
                goesOn.join();
                return settings;
            }));
            starts.orTimeout(60, TimeUnit.SECONDS).join();
            try {
                assertThatThrownBy(() -> nodes.start("one"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("a node 'one' is just being started by another thread");
            } finally {
                goesOn.complete(null);
            }
            first = starting.orTimeout(60, TimeUnit.SECONDS).join();
            assertThat(nodes.node("one")).isSameAs(first);
        }
        assertThat(first.closed().blockOptional(PATIENCE)).isEmpty();
    }

    @Test
    void aStartThatFailsLeavesTheNameFree() {
        try (TestNodes nodes = TestNodes.over("local")) {
            assertThatThrownBy(() -> nodes.start("one", settings -> settings.order("lokal")))
                    .isInstanceOf(Misconfigured.class);
            assertThat(nodes.start("one").id().name()).isEqualTo("one");
        }
    }

    @Test
    void whoStartsWhileAllAreClosedLeavesNothingBehind() {
        TestNodes nodes = TestNodes.over("local");
        assertThatThrownBy(() -> nodes.start("late", settings -> {
                    nodes.close();
                    return settings;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("these nodes were closed");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("weir-late-0"));
    }

    @Test
    void everythingIsClosedThoughARouteCantBeMended() throws IOException {
        TestNodes nodes = TestNodes.over("tcp");
        Peer peer = started(nodes);
        answers(peer);
        Node client = nodes.node("client");
        FaultyRoute used = nodes.route("client", "server");
        FaultyRoute first = nodes.route("other", "server");
        FaultyRoute second = nodes.route("third", "server");
        nodes.route("fourth", "server").close();
        used.cut();
        try (ServerSocket one = takes(first);
                ServerSocket another = takes(second)) {
            assertThat(one.isBound() && another.isBound()).isTrue();
            assertThatThrownBy(nodes::close)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("nothing can listen at " + first.address())
                    .hasMessageContaining("nothing can listen at " + second.address())
                    .satisfies(error -> assertThat(error.getSuppressed()).hasSize(2));
        }
        assertThat(client.closed().blockOptional(PATIENCE)).isEmpty();
        assertThatThrownBy(used::mend).hasMessageContaining("was closed");
        nodes.close();
    }

    /** Refuses, and another one takes the port. */
    private static ServerSocket takes(FaultyRoute route) throws IOException {
        route.refuse();
        return new ServerSocket(route.address().port(), 1, InetAddress.getByName("127.0.0.1"));
    }

    @Test
    @SuppressWarnings("CheckReturnValue")
    void aDroppedBufferIsFound() {
        TestNodes nodes = TestNodes.over("local");
        answers(started(nodes));
        UnpooledByteBufAllocator.DEFAULT.directBuffer(1).touch("left behind by this test");
        assertThatThrownBy(nodes::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("left behind by this test");
        nodes.close();
    }
}
