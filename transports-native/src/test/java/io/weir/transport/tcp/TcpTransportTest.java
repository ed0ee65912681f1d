package io.weir.transport.tcp;

import static io.weir.transport.tcp.TcpNodes.data;
import static io.weir.transport.tcp.TcpNodes.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Availability;
import io.weir.core.Bootstrap;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.loop.Received;
import io.weir.transport.stream.FrameParserTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TcpTransportTest {

    private static final Map<String, String> DATA_ADDRESS = Map.of("data-address", "tcp://127.0.0.1:0");

    /** Two nodes with a bootstrap connection. */
    private static final class Pair implements AutoCloseable {

        final TcpTransport transport = new TcpTransport();
        final TcpNodes nodes;
        final NettyLoop client;
        final NettyLoop server;
        final Link connected;
        final Link accepted;
        private final Bootstrap.Listener listener;

        Pair(boolean onEpoll, Map<String, String> options) throws Exception {
            nodes = new TcpNodes(onEpoll, options);
            client = nodes.loop("client");
            server = nodes.loop("server");
            listener = nodes.listen(new PeerAddress("127.0.0.1", 0), server);
            connected = nodes.connect(listener.address(), client);
            accepted = nodes.accepted().link();
        }

        PendingLink connecting() {
            return OnLoop.get(
                    client,
                    () -> transport.prepare(
                            new LinkRequest(card("c"), card("s"), true, client, connected, nodes.settings)));
        }

        PendingLink accepting() {
            return OnLoop.get(
                    server,
                    () -> transport.prepare(
                            new LinkRequest(card("s"), card("c"), false, server, accepted, nodes.settings)));
        }

        @Override
        public void close() {
            listener.dispose();
            nodes.close();
        }
    }

    private static PeerCard card(String name) {
        PeerId id = new PeerId(new UUID(1, name.hashCode()), name, 1);
        return new PeerCard(id, "boot", 0, "process-" + name, "host", 1, Map.of("tcp", ""), Map.of());
    }

    private static CompletableFuture<Link> complete(NettyLoop loop, PendingLink half, byte[] theirs) {
        CompletableFuture<Link> result = new CompletableFuture<>();
        loop.execute(() -> {
            var unused = half.complete(theirs)
                    .doOnTerminate(() -> assertThat(loop.inLoop()).isTrue())
                    .subscribe(result::complete, result::completeExceptionally);
        });
        return result;
    }

    private static Throwable failure(CompletableFuture<Link> result) {
        try {
            throw new AssertionError("completed with " + OnLoop.await(result));
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    @Test
    void isFoundByItsInterfaceAndAlwaysReady() {
        Transport found = ServiceLoader.load(Transport.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(transport -> transport.name().equals("tcp"))
                .findFirst()
                .orElseThrow();
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            assertThat(found.availability(nodes.settings)).isEqualTo(new Availability.Ready());
            assertThat(found.reaches(card("a"), card("b"))).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keepsTheBootstrapConnection(boolean onEpoll) throws Exception {
        try (Pair pair = new Pair(onEpoll, Map.of())) {
            PendingLink connecting = pair.connecting();
            PendingLink accepting = pair.accepting();
            assertThat(connecting.offer()).isEmpty();
            assertThat(accepting.offer()).isEmpty();
            assertThat(OnLoop.await(complete(pair.client, connecting, accepting.offer())))
                    .isSameAs(pair.connected);
            assertThat(OnLoop.await(complete(pair.server, accepting, connecting.offer())))
                    .isSameAs(pair.accepted);
            OnLoop.run(pair.client, connecting::close);
            OnLoop.run(pair.server, accepting::close);
            send(pair.connected, pair.client, TcpNodes.hello());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectsToTheDataAddress(boolean onEpoll) throws Exception {
        try (Pair pair = new Pair(onEpoll, with(DATA_ADDRESS, "receive-buffer", "128k"))) {
            PendingLink connecting = pair.connecting();
            PendingLink accepting = pair.accepting();
            byte[] offer = OnLoop.get(pair.server, accepting::offer);
            assertThat(OnLoop.get(pair.server, accepting::offer)).isEqualTo(offer);
            CompletableFuture<Link> there = complete(pair.server, accepting, connecting.offer());
            CompletableFuture<Link> here = complete(pair.client, connecting, offer);
            Link client = OnLoop.await(here);
            // Before the other side has taken its half: this waits there.
            send(client, pair.client, data("first"));
            Link server = OnLoop.await(there);
            assertThat(server).isNotSameAs(pair.accepted);
            OnLoop.run(pair.client, connecting::close);
            OnLoop.run(pair.server, accepting::close);
            Received atServer = new Received(pair.server);
            Received atClient = new Received(pair.client);
            OnLoop.run(pair.server, () -> server.handler(atServer));
            OnLoop.run(pair.client, () -> client.handler(atClient));
            send(server, pair.server, data("back"));
            assertThat(atServer.next().body()).isEqualTo("first");
            assertThat(atClient.next().body()).isEqualTo("back");
            awaitRefusalAt(port(offer));
        }
    }

    private static Map<String, String> with(Map<String, String> options, String option, String value) {
        Map<String, String> more = new HashMap<>(options);
        more.put(option, value);
        return more;
    }

    private static int port(byte[] offer) {
        return DataOffer.decode(offer).address().port();
    }

    @Test
    void letsNobodyInWithoutTheNonce() throws Exception {
        try (Pair pair = new Pair(true, DATA_ADDRESS)) {
            PendingLink accepting = pair.accepting();
            byte[] offer = OnLoop.get(pair.server, accepting::offer);
            CompletableFuture<Link> there = complete(pair.server, accepting, new byte[0]);
            ByteBuf wrong = FrameParserTest.wire(new Frame()
                    .set(FrameKind.HELLO, 0, 0, 0)
                    .body(DataOffer.at(new PeerAddress("127.0.0.1", 1)).hello()));
            for (ByteBuf bytes : new ByteBuf[] {
                wrong,
                FrameParserTest.hello(),
                Unpooled.copiedBuffer("GET / HTTP/1.0\r\n\r\n", StandardCharsets.US_ASCII)
            }) {
                try (Socket stranger = new Socket()) {
                    stranger.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port(offer)));
                    stranger.setSoTimeout(30_000);
                    bytes.readBytes(stranger.getOutputStream(), bytes.readableBytes());
                    assertThat(ended(stranger)).isTrue();
                }
            }
            assertThat(there).isNotDone();
            Link client = OnLoop.await(complete(pair.client, pair.connecting(), offer));
            Link server = OnLoop.await(there);
            OnLoop.run(pair.client, client::close);
            OnLoop.run(pair.server, server::close);
        }
    }

    /** Returns when nobody listens there any longer. The JDK's own channels let go of a port at their next select. */
    private static void awaitRefusalAt(int port) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        do {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
            } catch (IOException refused) {
                return;
            }
            Thread.sleep(1);
        } while (System.nanoTime() < deadline);
        fail("port " + port + " still takes connections");
    }

    private static boolean ended(Socket socket) {
        try {
            return socket.getInputStream().read() == -1;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void givesUpWhenNobodyComes() throws Exception {
        try (Pair pair = new Pair(true, with(DATA_ADDRESS, "connect-timeout", "100ms"))) {
            PendingLink accepting = pair.accepting();
            int port = port(OnLoop.get(pair.server, accepting::offer));
            assertThat(failure(complete(pair.server, accepting, new byte[0])))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessage(
                            "the peer did not connect to our data address tcp://127.0.0.1:" + port + " within 100 ms");
            awaitRefusalAt(port);
        }
    }

    @Test
    void closesWhatIsNotCompleted() throws Exception {
        try (Pair pair = new Pair(true, DATA_ADDRESS)) {
            PendingLink accepting = pair.accepting();
            byte[] offer = OnLoop.get(pair.server, accepting::offer);
            Link client = OnLoop.await(complete(pair.client, pair.connecting(), offer));
            Received received = new Received(pair.client);
            OnLoop.run(pair.client, () -> client.handler(received));
            // The connection may have arrived or not; in both cases nothing is left of it.
            OnLoop.run(pair.server, accepting::close);
            OnLoop.run(pair.server, accepting::close);
            assertThat(OnLoop.await(received.lost)).isNotNull();
            assertThat(failure(complete(pair.client, pair.connecting(), offer))).isInstanceOf(PeerUnavailable.class);

            PendingLink second = pair.accepting();
            CompletableFuture<Link> completing = complete(pair.server, second, new byte[0]);
            OnLoop.run(pair.server, second::close);
            assertThat(failure(completing)).isInstanceOf(PeerUnavailable.class).hasMessageContaining("was given up");

            PendingLink closedAtOnce = pair.connecting();
            CompletableFuture<Link> under = new CompletableFuture<>();
            byte[] third = OnLoop.get(pair.server, pair.accepting()::offer);
            OnLoop.run(pair.client, () -> {
                var unused = closedAtOnce.complete(third).subscribe(under::complete, under::completeExceptionally);
                closedAtOnce.close();
            });
            assertThat(failure(under)).isInstanceOf(PeerUnavailable.class).hasMessageContaining("was given up");
        }
    }

    /**
     * A listener on another address of this host stands for one on another host: whether anybody comes there is seen by
     * the backlog.
     */
    @Test
    void connectsOnlyToTheHostThatItHasConnectedToOrWhereTheConfigurationSays() throws Exception {
        try (ServerSocket elsewhere = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            PeerAddress address = new PeerAddress("127.0.0.2", elsewhere.getLocalPort());
            byte[] offer = DataOffer.at(address).encode();
            try (Pair pair = new Pair(true, Map.of())) {
                assertThat(failure(complete(pair.client, pair.connecting(), offer)))
                        .isInstanceOf(PeerUnavailable.class)
                        .hasMessage("the peer's data address " + address
                                + " is not where we have connected to (127.0.0.1); if it"
                                + " is the peer's, name its network in weir.transport.tcp.data-networks");
            }
            elsewhere.setSoTimeout(1);
            assertThatThrownBy(elsewhere::accept).isInstanceOf(SocketTimeoutException.class);
            try (Pair pair = new Pair(true, Map.of("data-networks", "192.0.2.0/24, 127.0.0.2"))) {
                Link link = OnLoop.await(complete(pair.client, pair.connecting(), offer));
                elsewhere.setSoTimeout(30_000);
                try (Socket came = elsewhere.accept()) {
                    assertThat(came.isConnected()).isTrue();
                }
                OnLoop.run(pair.client, link::close);
            }
        }
    }

    @Test
    void refusesAnOfferThatIsNone() throws Exception {
        try (Pair pair = new Pair(true, Map.of())) {
            for (String text : new String[] {
                "short",
                "0123456789abcdefnonsense",
                "0123456789abcdefexample.org:80",
                "0123456789abcdefunix:/etc/passwd",
                "0123456789abcdef127.0.0.1:0",
                "x".repeat(4096)
            }) {
                byte[] offer = text.getBytes(StandardCharsets.UTF_8);
                assertThat(failure(complete(pair.client, pair.connecting(), offer)))
                        .isInstanceOf(ProtocolMismatch.class)
                        .hasMessageStartingWith("the peer's offer for tcp ");
            }
            assertThat(failure(complete(pair.server, pair.accepting(), new byte[3])))
                    .isInstanceOf(ProtocolMismatch.class)
                    .hasMessageContaining("3 bytes for tcp");
        }
    }

    @Test
    void saysWhyADataAddressCannotBeUsed() throws Exception {
        try (Pair pair = new Pair(true, Map.of("data-address", "192.0.2.1:0"))) {
            assertThatThrownBy(pair::accepting)
                    .hasCauseInstanceOf(Misconfigured.class)
                    .hasMessageContaining("data-address=tcp://192.0.2.1:0 can't be listened at")
                    .hasMessageContaining("name an address that an interface of this host has");
        }
    }

    @Test
    void theOffersTravelWithinTheirLimit() {
        TransportSettings settings = new TransportSettings(java.nio.file.Path.of("/nowhere"), true, DATA_ADDRESS);
        assertThat(TcpOptions.of(settings).dataAddress()).isEqualTo(new PeerAddress("127.0.0.1", 0));
        DataOffer offer = DataOffer.at(PeerAddress.parse("tcp://[fe80:1111:2222:3333:4444:5555:6666:7777]:65535"));
        assertThat(DataOffer.decode(offer.encode()).address()).isEqualTo(offer.address());
        assertThat(offer.encode().length).isLessThanOrEqualTo(128);
        assertThat(offer.isHello(offer.hello())).isTrue();
        assertThat(offer.isHello(DataOffer.at(offer.address()).hello())).isFalse();
        assertThat(offer.isHello(Unpooled.EMPTY_BUFFER)).isFalse();
    }
}
