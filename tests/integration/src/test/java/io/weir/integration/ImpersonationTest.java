package io.weir.integration;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.NodeSpec;
import io.weir.channel.Peer;
import io.weir.core.FrameKind;
import io.weir.core.PeerId;
import io.weir.core.TlsSpec;
import io.weir.tck.Authority;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Who says that he is somebody else, under a certificate of his own, or under none where none is needed: an id is a claim, and what was
 * proved with it tells who has it.
 */
class ImpersonationTest implements OnRoute {

    private static final String HERE = "127.0.0.1";
    private static final char[] SESAME = "sesame".toCharArray();

    /** In REFUSE: there is no such session. */
    private static final int ENDED = 8;

    @TempDir
    static Path folder;

    private static Authority authority;

    /** What the impostor shows. */
    private enum Shown {
        ANOTHER_CERTIFICATE("impostor"),
        NONE(null);

        private final @Nullable String certificate;

        Shown(@Nullable String certificate) {
            this.certificate = certificate;
        }

        @Nullable
        String principal() {
            return certificate == null ? null : "CN=" + certificate;
        }
    }

    @BeforeAll
    static void issue() throws Exception {
        authority = Authority.in(folder, "Ours");
    }

    private static Node start(Nodes nodes, String name, UnaryOperator<NodeSpec.Builder> more) throws Exception {
        TlsSpec tls = authority
                .tls(authority.issue(name, HERE))
                .clientAuth(TlsSpec.ClientAuth.OPTIONAL)
                .build();
        return nodes.start(name, spec -> more.apply(spec.tls(tls)));
    }

    private static Node start(Nodes nodes, String name) throws Exception {
        return start(nodes, name, spec -> spec);
    }

    /** A connection to this node of one who says that he is this one, and shows this certificate. */
    private static Stranger connect(Node node, PeerId as, @Nullable String certificate) throws Exception {
        KeyStore store = authority.store(authority.issue(String.valueOf(certificate), HERE), SESAME);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, SESAME);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(certificate == null ? null : keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return Stranger.of(
                context.getSocketFactory().createSocket(HERE, node.address().port()), as);
    }

    private static Stranger victim(Node node) throws Exception {
        return connect(node, new PeerId(UUID.randomUUID(), "victim", 7), "victim");
    }

    private static Peer sessionOf(Node node, @Nullable String principal) {
        return node.connected().stream()
                .filter(peer -> Objects.equals(peer.identity().principal(), principal))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitSessions(Node node, int count) {
        Patience.until(
                () -> count + " sessions, not " + node.connected(),
                () -> node.connected().size() == count);
    }

    /** What is sent to the peer comes to this one, who is heard. */
    private static void isAtTheEndOf(Peer peer, Stranger stranger, String port) {
        peer.channel(port).subscribe(Probe.<Channel>of(1, channel -> {}));
        assertThat(stranger.await(FrameKind.OPEN).text()).isEqualTo(port);
        isHeard(stranger);
    }

    private static void isHeard(Stranger stranger) {
        stranger.send(FrameKind.PING, 0, 0, 0);
        assertThat(stranger.await(FrameKind.PONG)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource
    void getsASessionOfHisOwn(Shown shown, Nodes nodes) throws Exception {
        Node node = start(nodes, "node");
        try (Stranger victim = victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (Stranger impostor = connect(node, victim.is, shown.certificate).begin()) {
                awaitSessions(node, 2);
                Peer his = sessionOf(node, shown.principal());
                assertThat(his.id()).isEqualTo(its.id()).isEqualTo(victim.is);
                assertThat(his).isNotSameAs(its);
                assertThat(its.identity().principal()).isEqualTo("CN=victim");
                isAtTheEndOf(its, victim, "for the victim");
                isAtTheEndOf(his, impostor, "for the impostor");
            }
            awaitSessions(node, 1);
            assertThat(node.connected()).containsExactly(its);
            isAtTheEndOf(its, victim, "still for the victim");
        }
    }

    /** However far he has come, who connects to the true one does not get to him; and whom he replaces is himself. */
    @ParameterizedTest
    @CsvSource({"ANOTHER_CERTIFICATE, true", "ANOTHER_CERTIFICATE, false", "NONE, true", "NONE, false"})
    void isNotTakenForWhomHeClaimsToBe(Shown shown, boolean halfway, Nodes nodes) throws Exception {
        Node node = start(nodes, "node");
        Node victim = start(nodes, "victim");
        try (Stranger impostor = connect(node, victim.id(), shown.certificate)) {
            if (halfway) {
                impostor.hello(1, 0);
                assertThat(impostor.await(FrameKind.CARD)).isNotNull();
            } else {
                var unused = impostor.begin();
                awaitSessions(node, 1);
            }
            Pair pair = nodes.connect(node, victim);
            assertThat(pair.peer().id()).isEqualTo(victim.id());
            assertThat(pair.peer().identity().principal()).isEqualTo("CN=victim");
            pair.settle();
            try (Stranger again = connect(node, victim.id(), shown.certificate).begin()) {
                isHeard(again);
                awaitSessions(node, 2);
                isAtTheEndOf(sessionOf(node, shown.principal()), again, "for the impostor");
                if (!halfway) {
                    impostor.awaitEnd();
                }
                assertThat(node.connected()).contains(pair.peer());
                pair.settle();
            }
        }
    }

    /** Not even if he has guessed its number, and whichever loop hears him. */
    @ParameterizedTest
    @CsvSource({"ANOTHER_CERTIFICATE, 1", "ANOTHER_CERTIFICATE, 4", "NONE, 1", "NONE, 4"})
    void doesNotTakeUpTheSession(Shown shown, int loops, Nodes nodes) throws Exception {
        Node node = start(nodes, "node", spec -> spec.loops(loops));
        try (Stranger victim = victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            for (long number : new long[] {0, victim.sessionNumber + 1, victim.sessionNumber}) {
                for (int times = 0; times < 2 * loops; times++) {
                    isRefused(node, victim.is, shown, number);
                }
            }
            assertThat(node.connected()).containsExactly(its);
            isAtTheEndOf(its, victim, "for the victim");
        }
    }

    /** The session waits for somebody to take it up, and that is not he. */
    @ParameterizedTest
    @EnumSource
    void doesNotTakeUpTheSessionThatWaits(Shown shown, Nodes nodes) throws Exception {
        Node node = start(nodes, "node", spec -> spec.rejoinTimeout(Duration.ofSeconds(30)));
        try (Stranger victim = victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (LogLines log = LogLines.everything()) {
                victim.close();
                log.await(Level.INFO, "The bootstrap connection to " + its.id() + " was lost");
            }
            isRefused(node, victim.is, shown, victim.sessionNumber);
            try (Stranger again = connect(node, victim.is, "victim")) {
                again.rejoin(victim.sessionNumber);
                assertThat(again.await(FrameKind.REJOIN).first()).isEqualTo(victim.sessionNumber);
                again.goOn(2, 0);
                assertThat(again.await(FrameKind.RESUME).first()).isZero();
                isAtTheEndOf(its, again, "for the victim");
                assertThat(node.connected()).containsExactly(its);
            }
        }
    }

    private static void isRefused(Node node, PeerId as, Shown shown, long number) throws Exception {
        try (Stranger impostor = connect(node, as, shown.certificate)) {
            impostor.rejoin(number);
            Stranger.Arrived refusal = impostor.refusal();
            assertThat(refusal.flags()).isEqualTo(ENDED);
            assertThat(refusal.text()).startsWith("this session ");
            impostor.awaitEnd();
        }
    }
}
