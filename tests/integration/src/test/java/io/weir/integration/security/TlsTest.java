package io.weir.integration.security;

import static io.weir.integration.security.TlsTalk.echo;
import static io.weir.integration.security.TlsTalk.refusal;
import static io.weir.integration.security.TlsTalk.start;
import static io.weir.integration.security.TlsTalk.talks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.FrameKind;
import io.weir.core.Misconfigured;
import io.weir.core.PeerUnavailable;
import io.weir.core.TlsSpec;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import io.weir.integration.StrangersDoor;
import io.weir.tck.Authority;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Nodes that talk over TLS, or don't: what each side is told then, and that nobody else notices. */
class TlsTest implements OnRoute {

    private static final String HERE = "127.0.0.1";
    private static final char[] SESAME = "sesame".toCharArray();

    @TempDir
    static Path folder;

    private static Authority authority;
    private static Authority foreign;

    @BeforeAll
    static void issue() throws Exception {
        authority = Authority.in(Files.createDirectory(folder.resolve("ours")), "Ours");
        foreign = Authority.in(Files.createDirectory(folder.resolve("foreign")), "Foreign");
    }

    private static TlsSpec.Builder good(String name) {
        return own(authority, name, HERE, "localhost");
    }

    private static TlsSpec.Builder own(Authority by, String name, String... hosts) {
        try {
            return by.tls(by.issue(name, hosts));
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static TlsSpec.Builder from(Instant from, Instant until) {
        try {
            return authority.tls(authority.issue("node", from, until, HERE));
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /** One that needs no certificate, as nobody connects to it over TCP. */
    private static Node startWithoutCertificate(Nodes nodes, String name) {
        TlsSpec tls = TlsSpec.builder().trust(authority.certificate()).build();
        return nodes.start(
                name, spec -> spec.listen("unix:" + folder.resolve(name)).tls(tls));
    }

    /** Both see a reason, the accepting side in one line, and others are served as ever. */
    private static void neitherTalks(
            Nodes nodes, TlsSpec.Builder near, TlsSpec.Builder far, String toldNear, String toldFar) {
        Node accepting = start(nodes, "accepting", far);
        Node connecting = start(nodes, "connecting", near);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            assertThat(refusal(connecting, accepting)).hasMessageContaining(toldNear);
            log.await(Level.WARN, toldFar);
            assertThat(log.of(Level.WARN))
                    .hasSize(1)
                    .allMatch(line -> line.contains("the connection from tcp://127.0.0.1:"));
            assertThat(log.hasStackTraces()).isFalse();
        }
        assertThat(accepting.connected()).isEmpty();
        assertThat(connecting.connected()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void bothShowTheirCertificates(String protocol, Nodes nodes) {
        Node far = start(nodes, "far", good("far").protocols(List.of(protocol)));
        talks(start(nodes, "near", good("near")), far);
        assertThat(far.connected()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "OPTIONAL"})
    void whoConnectsShowsNoneWhereItNeedNot(TlsSpec.ClientAuth auth, Nodes nodes) {
        Node far = start(nodes, "far", good("far").clientAuth(auth));
        talks(startWithoutCertificate(nodes, "near-" + auth), far);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void whoConnectsHasToShowOne(String protocol, Nodes nodes) {
        Node far = start(nodes, "far", good("far").protocols(List.of(protocol)));
        Node near = startWithoutCertificate(nodes, "bare-" + protocol);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            assertThat(refusal(near, far)).hasMessageContaining("certificate");
            log.await(
                    Level.WARN, "it shows no certificate of whom weir.tls.trust names; set weir.tls.certificate there");
        }
        talks(start(nodes, "dressed", good("dressed")), far);
    }

    @Test
    void anExpiredCertificateOfWhoListens(Nodes nodes) {
        Instant now = Instant.now();
        neitherTalks(
                nodes,
                good("near"),
                from(now.minusSeconds(100), now.minusSeconds(10)),
                "its certificate has expired; renew weir.tls.certificate there",
                "our certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void anExpiredCertificateOfWhoConnects(String protocol, Nodes nodes) {
        Instant now = Instant.now();
        neitherTalks(
                nodes,
                from(now.minusSeconds(100), now.minusSeconds(10)),
                good("far").protocols(List.of(protocol)),
                "our certificate",
                "its certificate has expired; renew weir.tls.certificate there");
    }

    @Test
    void aCertificateOfTomorrow(Nodes nodes) {
        Instant now = Instant.now();
        neitherTalks(
                nodes,
                good("near"),
                from(now.plusSeconds(3_000), now.plusSeconds(6_000)),
                "its certificate is not valid yet; compare the clocks of both hosts",
                "it refuses");
    }

    @Test
    void aForeignCertificateOfWhoListens(Nodes nodes) {
        neitherTalks(
                nodes,
                good("near"),
                own(foreign, "far", HERE),
                "its certificate was issued by nobody whom weir.tls.trust names",
                "it does not accept our certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aForeignCertificateOfWhoConnects(String protocol, Nodes nodes) {
        neitherTalks(
                nodes,
                own(foreign, "near", HERE).trust(authority.certificate()),
                good("far").protocols(List.of(protocol)),
                "certificate",
                "it shows no certificate of whom weir.tls.trust names");
    }

    @Test
    void aCertificateForAnotherHost(Nodes nodes) {
        neitherTalks(
                nodes,
                good("near"),
                own(authority, "far", "elsewhere.example", "192.0.2.1"),
                "its certificate is not for the name that was connected to",
                "it does not accept our certificate");
    }

    @Test
    void theNameIsNotComparedWhereThatIsOff(Nodes nodes) {
        Node far = start(nodes, "far", own(authority, "far", "elsewhere.example"));
        talks(start(nodes, "near", good("near").verifyHost(false)), far);
    }

    @Test
    void noVersionInCommon(Nodes nodes) {
        neitherTalks(
                nodes,
                good("near").protocols(List.of("TLSv1.2")),
                good("far").protocols(List.of("TLSv1.3")),
                "weir.tls.protocols",
                "weir.tls.protocols");
    }

    @Test
    void whoConnectsHasNoTls(Nodes nodes) {
        Node far = start(nodes, "far", good("far"));
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            assertThat(refusal(nodes.start("near"), far))
                    .hasMessageContaining("connections here use TLS; set weir.tls=on there as well");
            log.await(Level.WARN, "it does not speak TLS; set weir.tls alike on both sides");
        }
        talks(start(nodes, "other", good("other")), far);
    }

    @Test
    void whoListensHasNoTls(Nodes nodes) {
        Node far = nodes.start("far");
        try (LogLines log = new LogLines("io.weir.channel.Node")) {
            assertThat(refusal(start(nodes, "near", good("near")), far))
                    .hasMessageContaining("it refuses without TLS: set weir.tls alike on both sides")
                    .hasMessageContaining("TLS is off here");
            log.await(Level.WARN, "speaks TLS, which is off here; set weir.tls alike on both sides");
        }
    }

    /** What is said in plain text may be anybody's. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2_000})
    void whoListensRefusesInPlainText(int more, Nodes nodes) throws IOException {
        Node far = start(nodes, "far", good("far"));
        Node near = start(nodes, "near", good("near"));
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            byte[] reason = ("full\r\nup\u001b[2J" + "x".repeat(more)).getBytes(StandardCharsets.UTF_8);
            stranger.send(FrameKind.REFUSE, 0, 0, 0, reason);
            stranger.awaitEndOfBytes();
        })) {
            assertThat(catchThrowable(() -> near.connect(door.address()).block(Patience.LIMIT)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining(door.address())
                    .hasMessageContaining("it refuses without TLS: set weir.tls alike on both sides")
                    .hasMessageContaining("not authenticated: 'full??up?[2J")
                    .hasMessageNotContainingAny("\r", "\n", "\u001b")
                    .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(700));
        }
        talks(near, far);
    }

    /** A warning, which the engine passes over. */
    private static final byte[] ALERT = {0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x5a};

    @Test
    void whoListensSendsAlertsWithoutEnd(Nodes nodes) throws IOException {
        Node far = start(nodes, "far", good("far"));
        TlsSpec tls = good("near").build();
        Node near = nodes.start("near", spec -> spec.tls(tls).transportOption("tcp", "connect-timeout", "10m"));
        try (StrangersDoor door = new StrangersDoor(stranger -> {
            sendAlerts(stranger);
            stranger.awaitEndOfBytes();
        })) {
            assertThat(catchThrowable(() -> near.connect(door.address()).block(Patience.LIMIT)))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining(door.address())
                    .hasMessageContaining("more than 256 records");
        }
        talks(near, far);
    }

    @Test
    void whoConnectsSendsAlertsWithoutEnd(Nodes nodes) {
        TlsSpec tls = good("far").build();
        Node far = nodes.start("far", spec -> spec.tls(tls).transportOption("tcp", "connect-timeout", "10m"));
        var unused = far.answer("echo", Mono::just);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls");
                Stranger stranger = Stranger.connect(far.address())) {
            sendAlerts(stranger);
            log.await(Level.WARN, "more than 256 records");
        }
        talks(start(nodes, "near", good("near")), far);
    }

    private static void sendAlerts(Stranger stranger) {
        for (int i = 0; i < 1_000; i++) {
            stranger.write(ALERT);
        }
    }

    /** Half a handshake, and nothing more. */
    @Test
    void aHandshakeThatStalls(Nodes nodes) throws IOException {
        Node far = nodes.start(
                "far", spec -> spec.tls(good("far").build()).transportOption("tcp", "connect-timeout", "300ms"));
        var unused = far.answer("echo", Mono::just);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls");
                Socket silent =
                        new Socket(InetAddress.getByName(HERE), far.address().port())) {
            silent.setSoTimeout((int) Patience.LIMIT.toMillis());
            silent.getOutputStream().write(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01});
            assertThat(silent.getInputStream().readAllBytes()).hasSizeLessThan(100);
            log.await(Level.WARN, "it did not end within the time for connecting");
        }
        talks(start(nodes, "near", good("near")), far);
    }

    /** Each has a line of its own at first; then the log is left in peace, but for one line in 6 s. */
    @Test
    void aFloodOfStrangersDoesNotFillTheLog(Nodes nodes) throws IOException {
        long begun = System.nanoTime();
        Node far = start(nodes, "far", good("far"));
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            for (int i = 0; i < 50; i++) {
                try (Socket stranger =
                        new Socket(InetAddress.getByName(HERE), far.address().port())) {
                    stranger.setSoTimeout((int) Patience.LIMIT.toMillis());
                    OutputStream out = stranger.getOutputStream();
                    out.write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    assertThat(stranger.getInputStream().readAllBytes()).hasSizeLessThan(200);
                }
            }
            Duration passed = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(log.of(Level.WARN)).hasSizeBetween(10, 10 + (int) passed.toSeconds() / 6);
            assertThat(log.hasStackTraces()).isFalse();
        }
        talks(start(nodes, "near", good("near")), far);
    }

    /** Whoever connects and says nothing holds a place among a few, until somebody else comes. */
    @Test
    void aFloodOfTheSilentKeepsNobodyOut(Nodes nodes) throws IOException {
        Node far = nodes.start(
                "far",
                spec -> spec.tls(good("far").build())
                        .transportOption("tcp", "tls-handshakes", "4")
                        .transportOption("tcp", "connect-timeout", "1m"));
        var unused = far.answer("echo", Mono::just);
        List<Socket> silent = new ArrayList<>();
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            for (int i = 0; i < 20; i++) {
                Socket stranger =
                        new Socket(InetAddress.getByName(HERE), far.address().port());
                stranger.setSoTimeout((int) Patience.LIMIT.toMillis());
                silent.add(stranger);
            }
            for (Socket stranger : silent.subList(0, 16)) {
                assertThat(stranger.getInputStream().readAllBytes()).hasSizeLessThan(100);
            }
            talks(start(nodes, "near", good("near")), far);
            log.await(Level.WARN, "weir.transport.tcp.tls-handshakes=4");
        } finally {
            for (Socket stranger : silent) {
                stranger.close();
            }
        }
    }

    @Test
    void aNewCertificateServesNewConnections(Nodes nodes) throws Exception {
        Authority.Issued old = authority.issue("far", "elsewhere.example");
        Path certificate = Files.copy(old.certificate(), folder.resolve("reloaded.pem"));
        Path key = Files.copy(old.key(), folder.resolve("reloaded.key"));
        Node far = start(
                nodes,
                "far",
                TlsSpec.builder()
                        .certificate(certificate)
                        .key(key)
                        .trust(authority.certificate())
                        .reload(Duration.ofMillis(20)));
        Node trusting = start(nodes, "trusting", good("trusting").verifyHost(false));
        Peer before = trusting.connect(far.address()).block(Patience.LIMIT);
        Node careful = start(nodes, "careful", good("careful"));
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            assertThat(refusal(careful, far)).hasMessageContaining("is not for the name");
            Files.writeString(certificate, "no certificate at all");
            log.await(Level.ERROR, "it holds no certificate in PEM");
            assertThat(refusal(careful, far)).hasMessageContaining("is not for the name");

            Authority.Issued renewed = authority.issue("far", HERE);
            Files.copy(renewed.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            log.await(Level.ERROR, "its certificate and the key do not belong together");
            Files.copy(renewed.key(), key, StandardCopyOption.REPLACE_EXISTING);
            log.await(Level.INFO, "Certificates have changed");
        }
        talks(careful, far);
        assertThat(echo(before)).isEqualTo("hear me");
    }

    @Test
    void keysAndTrustFromKeyStores(Nodes nodes) throws Exception {
        Authority.Issued issued = authority.issue("far", HERE);
        Path keys = folder.resolve("keys.p12");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("far", issued.secret(), SESAME, new Certificate[] {issued.is()});
        try (OutputStream out = Files.newOutputStream(keys)) {
            store.store(out, SESAME);
        }
        Path trust = folder.resolve("trust.jks");
        KeyStore anchors = KeyStore.getInstance("JKS");
        anchors.load(null, null);
        anchors.setCertificateEntry("ours", authority.is());
        try (OutputStream out = Files.newOutputStream(trust)) {
            anchors.store(out, SESAME);
        }
        Node far = start(
                nodes,
                "far",
                TlsSpec.builder()
                        .keyStore(keys)
                        .keyStorePassword("sesame")
                        .trustStore(trust)
                        .trustStorePassword("sesame"));
        talks(start(nodes, "near", good("near")), far);
    }

    @Test
    void materialThatSomebodyElseLooksAfter(Nodes nodes) throws Exception {
        Authority.Issued issued = authority.issue("far", HERE);
        KeyStore store = authority.store(issued, SESAME);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, SESAME);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        Node far = start(nodes, "far", TlsSpec.of(() -> keys, () -> trusted).toBuilder());
        talks(start(nodes, "near", good("near")), far);
    }

    /** Somebody else may exchange it: suppliers are asked again, by who listens as by who connects. */
    @Test
    void materialThatSomebodyElseExchanges(Nodes nodes) throws Exception {
        AtomicReference<KeyManagerFactory> shown = new AtomicReference<>(keys(foreign.issue("far", HERE), foreign));
        AtomicReference<TrustManagerFactory> believed = new AtomicReference<>(trust(foreign));
        TrustManagerFactory both = trust(authority, foreign);
        KeyManagerFactory near = keys(authority.issue("near", HERE), authority);
        TlsSpec ofFar = TlsSpec.of(shown::get, () -> both).toBuilder()
                .reload(Duration.ofMillis(20))
                .build();
        TlsSpec ofNear = TlsSpec.of(() -> near, believed::get).toBuilder()
                .reload(Duration.ofMillis(20))
                .build();
        Node far = start(nodes, "far", ofFar.toBuilder());
        Node connecting = start(nodes, "near", ofNear.toBuilder());
        Peer first = connecting.connect(far.address()).block(Patience.LIMIT);
        assertThat(first.identity().principal()).isEqualTo("CN=far");
        first.close().block(Patience.LIMIT);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            shown.set(keys(authority.issue("renewed", HERE), authority));
            log.await(Level.INFO, "Certificates have changed");
            assertThat(refusal(connecting, far)).isNotNull();
        }
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            believed.set(trust(authority));
            log.await(Level.INFO, "Certificates have changed");
            Peer second = connecting.connect(far.address()).block(Patience.LIMIT);
            assertThat(second.identity().principal()).isEqualTo("CN=renewed");
            assertThat(echo(second)).isEqualTo("hear me");
        }
    }

    private static KeyManagerFactory keys(Authority.Issued issued, Authority by) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(by.store(issued, SESAME), SESAME);
        return keys;
    }

    private static TrustManagerFactory trust(Authority... authorities) throws Exception {
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        for (Authority each : authorities) {
            anchors.setCertificateEntry(each.is().getSubjectX500Principal().getName(), each.is());
        }
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(anchors);
        return trusted;
    }

    /** A client that would take up its session again is asked for its certificate nevertheless. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void sessionsAreNotTakenUpAgain(String protocol, Nodes nodes) throws Exception {
        Node far = start(nodes, "far", good("far").clientAuth(TlsSpec.ClientAuth.NONE));
        AtomicInteger checked = new AtomicInteger();
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Counting(checked)}, null);
        for (int i = 1; i <= 3; i++) {
            try (SSLSocket socket = (SSLSocket)
                    context.getSocketFactory().createSocket(HERE, far.address().port())) {
                socket.setSoTimeout((int) Patience.LIMIT.toMillis());
                socket.setEnabledProtocols(new String[] {protocol});
                Stranger.over(socket).hello();
                // The node's HELLO, and before it whatever a session is taken up again with.
                assertThat(socket.getInputStream().read()).isNotNegative();
            }
            assertThat(checked).hasValue(i);
        }
    }

    private static SSLSocket client(Node node, String protocol) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Counting(new AtomicInteger())}, null);
        SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(HERE, node.address().port());
        socket.setSoTimeout((int) Patience.LIMIT.toMillis());
        socket.setEnabledProtocols(new String[] {protocol});
        Stranger.over(socket).hello();
        assertThat(socket.getInputStream().read()).as("the node's HELLO").isNotNegative();
        return socket;
    }

    /** With TLS 1.3 a further handshake is a new key, for which the node computes more than for what it is sent. */
    @Test
    void newKeysThatAreWantedAgainAndAgainEndTheConnection(Nodes nodes) throws Exception {
        Node far = start(nodes, "far", good("far").clientAuth(TlsSpec.ClientAuth.NONE));
        try (SSLSocket socket = client(far, "TLSv1.3")) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 20_000; i++) {
                            socket.startHandshake();
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
        talks(start(nodes, "near", good("near")), far);
    }

    @Test
    void aFewNewKeysDoNoHarm(Nodes nodes) throws Exception {
        Node far = start(nodes, "far", good("far").clientAuth(TlsSpec.ClientAuth.NONE));
        try (SSLSocket socket = client(far, "TLSv1.3")) {
            for (int i = 0; i < 10; i++) {
                socket.startHandshake();
            }
            byte[] rest = socket.getInputStream().readNBytes(20);
            assertThat(rest).as("the rest of HELLO, after the node's new keys").hasSize(20);
        }
    }

    /** The node refuses the second handshake when the stranger has gone. */
    @Test
    void whoAsksForAFurtherHandshakeAndLeavesIsNotLoggedByNetty(Nodes nodes) throws Exception {
        Node far = start(nodes, "far", good("far").clientAuth(TlsSpec.ClientAuth.NONE));
        try (LogLines log = new LogLines("io.netty.channel.DefaultChannelPipeline")) {
            for (int i = 0; i < 100; i++) {
                try (SSLSocket socket = client(far, "TLSv1.2")) {
                    // Sends ClientHello, and waits for the answer no longer than this.
                    socket.setSoTimeout(1);
                    var unused = catchThrowable(socket::startHandshake);
                }
            }
            talks(start(nodes, "near", good("near")), far);
            assertThat(log.of(Level.WARN)).isEmpty();
        }
    }

    /** Trusts everybody, and counts. */
    private static final class Counting extends X509ExtendedTrustManager {

        private final AtomicInteger checked;

        Counting(AtomicInteger checked) {
            this.checked = checked;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {
            checked.incrementAndGet();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
            checked.incrementAndGet();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            checked.incrementAndGet();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void aDataAddressHasTlsAsWell(Nodes nodes) {
        // Its certificate need not name the address: it is the one that the first connection has shown.
        Node far = nodes.start(
                "far",
                spec -> spec.tls(own(authority, "far", "localhost").build())
                        .listen("tcp://localhost:0")
                        .transportOption("tcp", "data-address", "tcp://127.0.0.1:0"));
        var unused = far.answer("echo", Mono::just);
        talks(start(nodes, "near", good("near")), far);
    }

    @ParameterizedTest
    @ValueSource(strings = {"certificate", "key", "trust", "key-password", "mismatch", "store"})
    void whatCantBeUsedIsToldAtTheStart(String what, Nodes nodes) throws Exception {
        TlsSpec.Builder tls = good("node");
        Path nowhere = folder.resolve("nowhere.pem");
        String expected = switch (what) {
            case "certificate" -> {
                tls.certificate(nowhere);
                yield "weir.tls.certificate=" + nowhere + " can't be used: there is no such file";
            }
            case "key" -> {
                tls.key(authority.certificate());
                yield "weir.tls.key=" + authority.certificate() + " can't be used: it holds no key as PKCS#8";
            }
            case "trust" -> {
                tls.trust(folder);
                yield "weir.tls.trust=" + folder + " can't be used: ";
            }
            case "key-password" -> {
                Path encrypted = Files.writeString(
                        folder.resolve("encrypted.key"),
                        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAAC\n-----END ENCRYPTED PRIVATE KEY-----\n");
                tls.key(encrypted).keyPassword("sesame");
                yield "weir.tls.key=" + encrypted
                        + " can't be used: it can't be decrypted: look at weir.tls.key-password";
            }
            case "mismatch" -> {
                tls.key(authority.issue("other", HERE).key());
                yield "its certificate and the key do not belong together";
            }
            default -> {
                Path store = Files.writeString(folder.resolve("damaged.p12"), "damaged");
                tls = TlsSpec.builder()
                        .keyStore(store)
                        .keyStorePassword("sesame")
                        .trust(authority.certificate());
                yield "weir.tls.key-store=" + store + " can't be used: ";
            }
        };
        NodeSpec spec = nodes.route().spec("node").tls(tls.build()).build();
        Misconfigured refusal =
                catchThrowableOfType(Misconfigured.class, () -> Node.start(spec).block(Patience.LIMIT));
        assertThat(refusal).hasMessageContaining(expected).hasMessageNotContaining("sesame");
    }
}
