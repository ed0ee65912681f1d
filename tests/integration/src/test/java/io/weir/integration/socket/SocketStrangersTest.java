package io.weir.integration.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.integration.StrangersDoor;
import io.weir.service.socket.SocketRelay;
import io.weir.service.socket.WeirSockets;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Who is at the other end of a socket may be anybody, or gone. */
class SocketStrangersTest implements OnRoute {

    @Override
    public Route route() {
        return Route.SHM;
    }

    @Test
    void aPlainTcpClientIsSentAwayAndOthersAreServed(Nodes nodes) throws IOException {
        try (ServerSocket server = WeirSockets.of(nodes.start("far")).serverSocket(0);
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
            plain.setSoTimeout((int) Patience.LIMIT.toMillis());
            plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            try {
                var unused = plain.getInputStream().readAllBytes();
            } catch (SocketException e) {
                assertThat(e).hasMessageContaining("reset");
            }
            Node near = nodes.start("near");
            talk(WeirSockets.of(near).socketFactory().createSocket("127.0.0.1", server.getLocalPort()), server);
            assertThat(near.stats()).allMatch(each -> each.path().equals("shm") && each.bytesSent() == 1);
        }
    }

    @Test
    void aPlainTcpServerIsNoNode(Nodes nodes) throws IOException {
        WeirSockets sockets = WeirSockets.of(nodes.start("near"));
        try (StrangersDoor door = new StrangersDoor(stranger ->
                        stranger.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
                Socket socket = sockets.socket()) {
            PeerAddress address = PeerAddress.parse(door.address());
            assertThatThrownBy(() -> socket.connect(new InetSocketAddress(address.host(), address.port())))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(Integer.toString(address.port()));
        }
    }

    @Test
    void aServerThatSaysNothingIsGivenUp(Nodes nodes) throws IOException {
        WeirSockets sockets = WeirSockets.of(nodes.start("near"));
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Socket socket = sockets.socket()) {
            assertThatThrownBy(() -> socket.connect(silent.getLocalSocketAddress(), 50))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void aNodeWithoutAServerSocketRefuses(Nodes nodes) throws IOException {
        PeerAddress far = nodes.start("far").address();
        try (Socket socket = WeirSockets.of(nodes.start("near")).socket()) {
            assertThatThrownBy(() -> socket.connect(new InetSocketAddress(far.host(), far.port())))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("weir.socket." + far.port());
        }
        try (Socket socket = WeirSockets.of(nodes.start("other")).socket()) {
            assertThatThrownBy(() -> socket.connect(InetSocketAddress.createUnresolved("no.such.host.invalid", 1)))
                    .isInstanceOf(UnknownHostException.class);
        }
    }

    @Test
    void onePortServesOneServerSocketAndNobodyFromElsewhere(Nodes nodes) throws IOException {
        WeirSockets sockets = WeirSockets.of(nodes.start("far"));
        try (ServerSocket server = sockets.serverSocket(0)) {
            assertThatThrownBy(() -> sockets.serverSocket(server.getLocalPort()))
                    .isInstanceOf(BindException.class);
            assertThatThrownBy(() -> sockets.serverSocket(new InetSocketAddress("192.0.2.1", 0), 1))
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining("weir.security.secret");
        }
    }

    @Test
    void aPortWhereTheNodeListensAlreadyCanBeServed(Nodes nodes) throws IOException {
        Node far = nodes.start("far");
        try (ServerSocket server =
                WeirSockets.of(far).serverSocket(far.address().port())) {
            assertThat(far.addresses()).hasSize(1);
            Socket socket = WeirSockets.of(nodes.start("near")).socket();
            socket.connect(server.getLocalSocketAddress());
            talk(socket, server);
        }
    }

    @Test
    void aPieceThatNoSocketSendsFailsThisSocketOnly(Nodes nodes) throws IOException {
        Node far = nodes.start("far");
        Node near = nodes.start("near");
        try (ServerSocket server = WeirSockets.of(far).serverSocket(0)) {
            String port = "weir.socket." + server.getLocalPort();
            Channel channel = Objects.requireNonNull(near.connect(far.address())
                    .flatMap(peer -> peer.channel(port))
                    .block(Patience.LIMIT));
            var unused = channel.send(Flux.just(Message.of(new byte[100_000])).concatWith(Mono.never()))
                    .subscribe(nothing -> {}, error -> {});
            try (Socket socket = server.accept()) {
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("100000 bytes");
            }
            channel.close().block(Patience.LIMIT);
            talk(WeirSockets.of(near).socketFactory().createSocket("127.0.0.1", server.getLocalPort()), server);
        }
    }

    /** What is behind the relay greets. */
    @Test
    void whoeverTakesAllThePlacesOfARelayLeavesSomeForOthers(Nodes nodes) throws Exception {
        WeirSockets greedy = WeirSockets.of(nodes.start("greedy"));
        List<Socket> taken = new ArrayList<>();
        List<Socket> greeted = new CopyOnWriteArrayList<>();
        try (ServerSocket target = new ServerSocket(0, 300, InetAddress.getLoopbackAddress());
                SocketRelay relay = WeirSockets.of(nodes.start("far"))
                        .relay(0, (InetSocketAddress) target.getLocalSocketAddress())) {
            Thread greeting = new Thread(() -> greet(target, greeted), "greeting");
            greeting.start();
            for (int i = 0; i < 300; i++) {
                taken.add(greedy.socketFactory().createSocket("127.0.0.1", relay.port()));
            }
            try (Socket other =
                    WeirSockets.of(nodes.start("other")).socketFactory().createSocket("127.0.0.1", relay.port())) {
                other.setSoTimeout((int) Patience.LIMIT.toMillis());
                assertThat(other.getInputStream().read()).isEqualTo(7);
            }
            for (int i = 0; i < 96; i++) {
                assertThat(taken.get(i).getInputStream().read()).isEqualTo(7);
            }
            assertThatThrownBy(() -> taken.get(299).getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("as many sockets of this peer");
            // The other one has a place, which counts against theirs.
            for (Socket each : taken.subList(0, 2)) {
                each.setSoLinger(true, 0);
                each.close();
            }
            taken.get(96).setSoTimeout((int) Patience.LIMIT.toMillis());
            assertThat(taken.get(96).getInputStream().read()).isEqualTo(7);
        } finally {
            for (Socket each : taken) {
                each.close();
            }
            for (Socket each : greeted) {
                each.close();
            }
        }
    }

    private static void greet(ServerSocket target, List<Socket> greeted) {
        try {
            while (true) {
                Socket socket = target.accept();
                greeted.add(socket);
                socket.getOutputStream().write(7);
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    @Test
    void theEndOfThePeerResets(Nodes nodes) throws IOException {
        Node far = nodes.start("far");
        try (ServerSocket server = WeirSockets.of(far).serverSocket(0);
                Socket near = WeirSockets.of(nodes.start("near")).socket()) {
            near.connect(server.getLocalSocketAddress());
            try (Socket accepted = server.accept()) {
                far.close().block(Patience.LIMIT);
                assertThatThrownBy(() -> near.getInputStream().read())
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("Connection reset: ")
                        .hasMessageContaining("far");
                assertThatThrownBy(() -> near.getOutputStream().write(1)).isInstanceOf(SocketException.class);
                assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketException.class);
                assertThatThrownBy(server::accept).isInstanceOf(SocketException.class);
                assertThat(server.isClosed()).isTrue();
            }
        }
    }

    @Test
    void aLoopIsNotBlocked(Nodes nodes) throws Exception {
        Node far = nodes.start("far");
        Node near = nodes.start("near");
        try (ServerSocket server = WeirSockets.of(far).serverSocket(0);
                Socket socket = WeirSockets.of(near).socket()) {
            socket.connect(server.getLocalSocketAddress());
            CompletableFuture<Integer> onLoop = near.connect(far.address())
                    .map(peer -> {
                        try {
                            return socket.getInputStream().read();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    })
                    .toFuture();
            assertThatThrownBy(() -> onLoop.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must not be blocked");
            server.accept().close();
        }
    }

    /** By reflection: Java 17, for which this is compiled, has none. */
    @Test
    void virtualThreadsTalkAndAreInterrupted(Nodes nodes) throws Exception {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads are of Java 21");
        ExecutorService virtual = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        WeirSockets near = WeirSockets.of(nodes.start("near"));
        try (ServerSocket server = WeirSockets.of(nodes.start("far")).serverSocket(0)) {
            for (int i = 0; i < 50; i++) {
                Socket socket = near.socketFactory().createSocket("127.0.0.1", server.getLocalPort());
                Socket accepted = server.accept();
                var unused = virtual.submit(() -> accepted.getInputStream().transferTo(accepted.getOutputStream()));
                assertThat(virtual.submit(() -> {
                                    socket.getOutputStream().write(7);
                                    return socket.getInputStream().read();
                                })
                                .get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo(7);
                if (i == 49) {
                    CompletableFuture<String> outcome = new CompletableFuture<>();
                    CountDownLatch begun = new CountDownLatch(1);
                    var reading = virtual.submit(() -> {
                        begun.countDown();
                        try {
                            return outcome.complete(
                                    "read " + socket.getInputStream().read());
                        } catch (IOException e) {
                            return outcome.complete(e.getMessage());
                        }
                    });
                    // Cancelled before it has begun it would never read.
                    Patience.await("it reads", begun);
                    assertThat(reading.cancel(true)).isTrue();
                    assertThat(outcome.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                            .isEqualTo("Closed by interrupt");
                    assertThat(socket.isClosed()).isTrue();
                }
                socket.close();
                accepted.close();
            }
        }
        virtual.shutdownNow();
    }

    private static void talk(Socket near, ServerSocket server) throws IOException {
        try (near;
                Socket far = server.accept()) {
            near.getOutputStream().write(42);
            assertThat(far.getInputStream().read()).isEqualTo(42);
        }
    }
}
