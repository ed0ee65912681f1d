package io.weir.transport.tcp;

import static io.weir.transport.tcp.TcpNodes.PATIENCE;
import static io.weir.transport.tcp.TcpNodes.data;
import static io.weir.transport.tcp.TcpNodes.hello;
import static io.weir.transport.tcp.TcpNodes.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.TransportSettings;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import io.weir.transport.loop.Received;
import io.weir.transport.nativelib.Lingering;
import io.weir.transport.nativelib.UnixSocket;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.transport.ClientTransportConfig;

@Timeout(60)
class TcpBootstrapTest {

    private static final PeerAddress ANY_PORT = new PeerAddress("127.0.0.1", 0);

    @Test
    void isFoundByItsInterface() {
        assertThat(ServiceLoader.load(Bootstrap.class))
                .hasOnlyElementsOfType(TcpBootstrap.class)
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectsAndAcceptsOnTheLoopsThatItIsGiven(boolean onEpoll) throws Exception {
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            NettyLoop client = nodes.loop("client");
            List<NettyLoop> servers = List.of(nodes.loop("server-0"), nodes.loop("server-1"));
            AtomicInteger asked = new AtomicInteger();
            Bootstrap.Listener listener = nodes.bootstrap
                    .bind(ANY_PORT, nodes.settings, () -> servers.get(asked.getAndIncrement() % 2), nodes::accept)
                    .block(PATIENCE);
            assertThat(listener.address().port()).isPositive();
            assertThat(listener.address().host()).isEqualTo("127.0.0.1");
            assertThat(asked).as("once, for the listener").hasValue(1);
            for (int i = 1; i <= 4; i++) {
                String delivered = nodes.bootstrap
                        .connect(listener.address(), nodes.settings, client)
                        .map(link -> Thread.currentThread().getName())
                        .block(PATIENCE);
                assertThat(delivered).isEqualTo("client");
                assertThat(nodes.accepted().loop()).isSameAs(servers.get(i % 2));
            }
            listener.dispose();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void carriesFramesBothWays(boolean onEpoll) throws Exception {
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            Bootstrap.Listener listener = nodes.listen(ANY_PORT, nodes.loop("server"));
            exchange(nodes, listener.address());
            listener.dispose();
        }
    }

    @Test
    void carriesFramesOverAUnixSocketThatOnlyOurUserMayUse() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of("send-buffer", "64k", "receive-buffer", "64k"))) {
            PeerAddress address = nodes.unix("a.sock");
            Bootstrap.Listener listener = nodes.listen(address, nodes.loop("server"));
            assertThat(listener.address()).isEqualTo(address);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(address.host()))))
                    .isEqualTo("rw-------");
            exchange(nodes, address);
            listener.dispose();
        }
    }

    /** Before Linux 6.16 it can't be refused. */
    @Test
    void unixSocketsTakeNoDescriptors() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of());
                Lingering lingering = new Lingering()) {
            NettyLoop server = nodes.loop("server");
            PeerAddress address = nodes.unix("f.sock");
            Bootstrap.Listener listener = nodes.listen(address, server);
            UnixSocket early = UnixSocket.connect(address.host());
            assumeTrue(!lingering.passTo(early.number(), false), "the system has no SO_PASSRIGHTS");
            early.send("WEIR".getBytes(StandardCharsets.US_ASCII));
            TcpNodes.Accepted accepted = nodes.accepted();
            assertThat(lingering.passTo(early.number(), true)).isFalse();
            OnLoop.run(server, accepted.link()::close);
            early.close();
            listener.dispose();
        }
        try (TcpNodes nodes = new TcpNodes(true, Map.of());
                Lingering lingering = new Lingering()) {
            PeerAddress address = nodes.unix("g.sock");
            UnixSocket listener = UnixSocket.listen(address.host());
            Link link = nodes.connect(address, nodes.loop("client"));
            UnixSocket accepted = listener.accept();
            assertThat(accepted).isNotNull();
            assertThat(lingering.passTo(accepted.number(), false)).isFalse();
            link.close();
            accepted.close();
            listener.close();
            Files.delete(Path.of(address.host()));
        }
    }

    @Test
    void carriesFramesOverIpv6() throws Exception {
        try (ServerSocket probe = new ServerSocket(0, 1, TcpOptions.literal("::1"))) {
            assertThat(probe.isBound()).isTrue();
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here: " + e);
        }
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            Bootstrap.Listener listener = nodes.listen(PeerAddress.parse("tcp://[::1]:0"), nodes.loop("server"));
            assertThat(listener.address().toString()).startsWith("tcp://[::1]:");
            exchange(nodes, listener.address());
            listener.dispose();
        }
    }

    @Test
    void looksUpHostNames() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            Bootstrap.Listener listener = nodes.listen(PeerAddress.parse("localhost:0"), nodes.loop("server"));
            assertThat(listener.address().host()).isEqualTo("localhost");
            exchange(nodes, listener.address());
            listener.dispose();
        }
    }

    private static void exchange(TcpNodes nodes, PeerAddress address) throws Exception {
        NettyLoop client = nodes.loop("client");
        Link connected = nodes.connect(address, client);
        TcpNodes.Accepted acceptedThere = nodes.accepted();
        Link accepted = acceptedThere.link();
        Loop server = acceptedThere.loop();
        Received atServer = new Received(server);
        Received atClient = new Received(client);
        OnLoop.run(server, () -> accepted.handler(atServer));
        OnLoop.run(client, () -> connected.handler(atClient));
        send(connected, client, hello());
        send(accepted, server, hello());
        send(connected, client, data("to the server"));
        send(accepted, server, data("to the client"));
        assertThat(atServer.next().body()).isEqualTo("WEIR, hello");
        assertThat(atServer.next().body()).isEqualTo("to the server");
        assertThat(atClient.next().body()).isEqualTo("WEIR, hello");
        assertThat(atClient.next().body()).isEqualTo("to the client");
        OnLoop.run(client, connected::close);
        assertThat(OnLoop.await(atServer.lost)).hasMessageContaining("the other side closed it");
        OnLoop.run(client, () -> {});
        assertThat(atClient.lost).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void saysWhyItCannotListen(boolean onEpoll) throws Exception {
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            Loop loop = nodes.loop("server");
            Bootstrap.Listener first = nodes.listen(ANY_PORT, loop);
            assertThatThrownBy(() -> nodes.listen(first.address(), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageStartingWith(first.address() + " can't be listened at: ")
                    .hasMessageContaining(
                            "ddress already in use; stop the process that listens there, or choose another");
            assertThatThrownBy(() -> nodes.listen(PeerAddress.parse("192.0.2.1:0"), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageStartingWith("tcp://192.0.2.1:0 can't be listened at: ")
                    .hasMessageContaining(
                            "assign requested address; name an address that an interface of this host has");
            assertThatThrownBy(() -> nodes.listen(PeerAddress.parse("no-such-host.invalid:0"), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessage("tcp://no-such-host.invalid:0 can't be listened at: the host name is not known here;"
                            + " name an address of this host");
            first.dispose();
            for (int i = 0; i < 5; i++) {
                // NIO gives the port up when it selects next.
                OnLoop.run(loop, () -> {});
            }
            Bootstrap.Listener second = nodes.listen(first.address(), loop);
            assertThat(second.address()).isEqualTo(first.address());
            assertThat(first.isDisposed()).isTrue();
            second.dispose();
        }
    }

    @Test
    void saysWhyItCannotListenAtASocketFile() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            Loop loop = nodes.loop("server");
            PeerAddress address = nodes.unix("b.sock");
            Path path = Path.of(address.host());
            Files.writeString(path, "a file of somebody");
            assertThatThrownBy(() -> nodes.listen(address, loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("is a file, not a socket; remove it");
            assertThat(Files.readString(path)).isEqualTo("a file of somebody");
            Files.delete(path);
            Bootstrap.Listener listener = nodes.listen(address, loop);
            assertThatThrownBy(() -> nodes.listen(address, loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining(address + " is in use: another process listens there");
            assertThat(nodes.connect(address, loop)).as("undisturbed").isNotNull();
            listener.dispose();
            assertThatThrownBy(() -> nodes.listen(nodes.unix("x".repeat(120)), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("too long for a socket: at most 107 bytes");
            assertThatThrownBy(() -> nodes.listen(nodes.unix("no-folder/c.sock"), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("no-folder/c.sock can't be listened at");
        }
    }

    @Test
    void takesOverTheSocketFileOfADeadProcess() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            PeerAddress address = nodes.unix("c.sock");
            try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                assertThat(dead.bind(UnixDomainSocketAddress.of(address.host())))
                        .isNotNull();
            }
            assertThat(Path.of(address.host())).exists();
            Bootstrap.Listener listener = nodes.listen(address, nodes.loop("server"));
            exchange(nodes, address);
            listener.dispose();
        }
    }

    @Test
    void removesItsSocketFileWithItsLoop() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            PeerAddress address = nodes.unix("d.sock");
            assertThat(nodes.listen(address, nodes.loop("server")).isDisposed()).isFalse();
            assertThat(Path.of(address.host())).exists();
        }
    }

    @Test
    void needsEpollForUnixSockets() {
        try (TcpNodes nodes = new TcpNodes(false, Map.of())) {
            Loop loop = nodes.loop("server");
            assertThatThrownBy(() -> nodes.listen(nodes.unix("e.sock"), loop))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("e.sock can't be used: Unix-domain sockets need epoll")
                    .hasMessageContaining("weir.native");
            assertThatThrownBy(() -> nodes.connect(nodes.unix("e.sock"), loop)).isInstanceOf(Misconfigured.class);
        }
    }

    /** Reactor Netty has a cache of resolvers that nothing ever leaves. */
    @Test
    void aConnectionThatWasTriedLeavesNothingBehind() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Field cache = ClientTransportConfig.class.getDeclaredField("RESOLVERS_CACHE");
        cache.setAccessible(true);
        Map<?, ?> resolvers = (Map<?, ?>) cache.get(null);
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            Loop loop = nodes.loop("client");
            int before = resolvers.size();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> nodes.connect(new PeerAddress("127.0.0.1", free), loop))
                        .isInstanceOf(PeerUnavailable.class);
            }
            assertThat(resolvers).hasSize(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void saysWhyAPeerCannotBeReached(boolean onEpoll) throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        try (TcpNodes nodes = new TcpNodes(onEpoll, Map.of())) {
            Loop loop = nodes.loop("client");
            assertThatThrownBy(() -> nodes.connect(new PeerAddress("127.0.0.1", free), loop))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageStartingWith("tcp://127.0.0.1:" + free + " can't be reached: ")
                    .hasMessageContaining("Connection refused");
            assertThatThrownBy(() -> nodes.connect(new PeerAddress("no-such-host.invalid", 1), loop))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessage("tcp://no-such-host.invalid:1 can't be reached: the host name is not known here");
            if (onEpoll) {
                assertThatThrownBy(() -> nodes.connect(nodes.unix("nobody.sock"), loop))
                        .isInstanceOf(PeerUnavailable.class)
                        .hasMessageContaining("nobody.sock can't be reached: ")
                        .hasMessageContaining("there is no such socket");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givesUpAPeerThatDoesNotAnswer(boolean onEpoll) throws Exception {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpNodes nodes = new TcpNodes(onEpoll, Map.of("connect-timeout", "150ms"))) {
            // The kernel leaves a connection unanswered when the queue of those not accepted is full.
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket();
                queue.add(socket);
                try {
                    socket.connect(new InetSocketAddress(deaf.getInetAddress(), deaf.getLocalPort()), 100);
                } catch (IOException e) {
                    break;
                }
            }
            Loop loop = nodes.loop("client");
            PeerAddress address = new PeerAddress("127.0.0.1", deaf.getLocalPort());
            assertThatThrownBy(() -> nodes.connect(address, loop))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessage(address + " can't be reached: no answer within 150 ms");
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    @Test
    void refusesBadOptions() {
        assertMisconfigured(Map.of("no-delay", "maybe"), "no-delay=maybe is not a switch");
        assertMisconfigured(Map.of("high-water", "1k"), "high-water=1k is out of range");
        assertMisconfigured(
                Map.of("connect-timeout", "5"), "connect-timeout=5 is not a time: write 500ms, 5s, " + "2m or 1h");
        assertMisconfigured(Map.of("linger", "1000m"), "linger=1000m is out of range: from 1ms to 10m");
        assertMisconfigured(Map.of("data-address", "tcp://0.0.0.0:0"), "data-address=tcp://0.0.0.0:0 can't be used");
        assertMisconfigured(Map.of("data-address", "127.0.0.1:80"), "with port 0");
        assertMisconfigured(Map.of("data-address", "somehost:0"), "write an IP address of this host");
        assertMisconfigured(Map.of("data-address", "unix:/x"), "can't be used");
        assertMisconfigured(Map.of("data-address", "nowhere"), "data-address=nowhere can't be used");
    }

    private static void assertMisconfigured(Map<String, String> options, String message) {
        TransportSettings settings = new TransportSettings(Path.of("/nowhere"), true, options);
        assertThat(options.keySet()).isSubsetOf(new TcpTransport().options());
        assertThatThrownBy(() -> new TcpTransport().availability(settings))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> new TcpBootstrap()
                        .bind(ANY_PORT, settings, () -> null, link -> {})
                        .block(PATIENCE))
                .isInstanceOf(Misconfigured.class);
    }

    @Test
    void closesAConnectionThatNobodyCanTake() throws Exception {
        try (TcpNodes nodes = new TcpNodes(true, Map.of())) {
            Loop server = nodes.loop("server");
            Bootstrap.Listener listener = nodes.bootstrap
                    .bind(ANY_PORT, nodes.settings, () -> server, link -> {
                        throw new IllegalStateException("expected: nobody takes it");
                    })
                    .block(PATIENCE);
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), listener.address().port())) {
                socket.setSoTimeout(30_000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            listener.dispose();
        }
    }
}
