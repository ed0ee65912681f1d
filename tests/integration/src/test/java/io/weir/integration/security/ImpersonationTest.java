package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Secret;
import io.weir.core.FrameKind;
import io.weir.core.PeerId;
import io.weir.core.TlsSpec;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Relay;
import io.weir.integration.Route;
import io.weir.integration.Stranger;
import io.weir.tck.Authority;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who says that he is somebody else, under a certificate of his own, or under none where none is needed: an id is a
 * claim, and what was proved with it tells who has it.
 */
@Tag("whole")
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

    /**
     * However far he has come, who connects to the true one does not get to him; and whom he replaces is at most
     * himself.
     */
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
                boolean replaced = !halfway && shown != Shown.NONE;
                if (replaced) {
                    impostor.awaitEnd();
                } else if (!halfway) {
                    isHeard(impostor);
                }
                awaitSessions(node, replaced || halfway ? 2 : 3);
                Peer his = node.connected().get(node.connected().size() - 1);
                assertThat(his.identity().principal()).isEqualTo(shown.principal());
                isAtTheEndOf(his, again, "for the impostor");
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

    // Where nothing is proved by anybody, as between the processes of a host that have no settings.

    /** How far the impostor has come when somebody connects to the true one. */
    private enum Far {
        HELLO,
        CARD,
        SESSION
    }

    private static void come(Stranger impostor, Far far) {
        switch (far) {
            case HELLO -> impostor.hello(1, 0);
            case CARD -> {
                impostor.hello(1, 0);
                impostor.card(Map.of("tcp", ""));
                assertThat(impostor.await(FrameKind.CARD)).isNotNull();
            }
            case SESSION -> assertThat(impostor.begin()).isNotNull();
        }
    }

    private static Stranger plain(Node node, PeerId as) throws Exception {
        return Stranger.of(new Socket(HERE, node.address().port()), as);
    }

    /** One whose id is lower than the node's, or higher: that decides which of two connections that cross is kept. */
    private static Node startBeside(Nodes nodes, Node node, String name, boolean lower) {
        while (true) {
            Node other = nodes.start(name);
            if (other.id().id().compareTo(node.id().id()) < 0 == lower) {
                return other;
            }
            other.close().block(Patience.LIMIT);
        }
    }

    private static boolean isQuiet(Stranger stranger) {
        stranger.send(FrameKind.PING, 0, 0, 0);
        for (Stranger.Arrived frame; (frame = stranger.read()) != null && frame.kind() != FrameKind.PONG; ) {
            if (frame.kind() == FrameKind.OPEN) {
                return false;
            }
        }
        return true;
    }

    /** Whoever is dialled is who is spoken with, whatever another process has said before. */
    @ParameterizedTest
    @CsvSource({"HELLO, true", "HELLO, false", "CARD, true", "CARD, false", "SESSION, true", "SESSION, false"})
    void whoIsDialledIsNotWhoClaimsHisId(Far far, boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Pair other = nodes.connect(nodes.start("other"), node);
        Node victim = startBeside(nodes, node, "victim", lower);
        try (Stranger impostor = plain(node, victim.id())) {
            come(impostor, far);
            if (far == Far.SESSION) {
                awaitSessions(node, 2);
            }

            Pair pair = nodes.connect(node, victim);

            assertThat(victim.connected()).hasSize(1);
            pair.settle();
            other.settle();
            if (far == Far.SESSION) {
                assertThat(isQuiet(impostor)).isTrue();
                awaitSessions(node, 3);
                assertThat(nodes.connect(node, victim).peer()).isSameAs(pair.peer());
            }
        }
        pair(node, victim).settle();
    }

    private static Pair pair(Node near, Node far) {
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);
        return new Pair(near, far, Objects.requireNonNull(peer));
    }

    /** He gets his session while somebody is still dialling the true one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoOvertakesTheTrueOneIsNotTakenForHim(boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Node victim = startBeside(nodes, node, "victim", lower);
        Probe<Peer> dialling = Probe.of(1, peer -> {});
        try (Relay slow = new Relay(victim.address()).distance(Duration.ofMillis(200));
                Stranger impostor = plain(node, victim.id())) {
            node.connect(slow.address()).subscribe(dialling);
            Patience.until("it is dialled", () -> slow.accepted() == 1);
            var unused = impostor.begin();
            awaitSessions(node, 1);
            dialling.awaitComplete();
            assertThat(isQuiet(impostor)).isTrue();
            assertThat(victim.connected()).hasSize(1);
            awaitSessions(node, 2);
        }
    }

    /** His connection ends nobody's session, over whatever path that goes. */
    @ParameterizedTest
    @EnumSource(
            value = Route.class,
            names = {"SHM", "TCP"})
    void theSessionOfTheTrueOneIsNotEndedByWhoClaimsHisId(Route route, Nodes nodes) throws Exception {
        Node node = nodes.start(route.spec("node").build());
        Node victim = nodes.start(route.spec("victim").build());
        Pair pair = pair(victim, node);
        Pair back = new Pair(node, victim, node.connected().get(0));
        for (int round = 0; round < 3; round++) {
            try (Stranger impostor = plain(node, victim.id()).begin()) {
                awaitSessions(node, 2);
                pair.settle();
                back.settle();
                assertThat(isQuiet(impostor)).isTrue();
                isAtTheEndOf(node.connected().get(1), impostor, "for the impostor");
                assertThat(pair(node, victim).peer()).isSameAs(back.peer());
                assertThat(pair(victim, node).peer()).isSameAs(pair.peer());
            }
            Patience.until("the impostor has gone", () -> node.connected().equals(List.of(back.peer())));
        }
        pair.settle();
    }

    /** The secret is everybody's: it does not say which of them somebody is. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE})
    void ofThoseWhoShareASecretNoneEndsTheSessionOfAnother(long incarnation, Nodes nodes) throws Exception {
        String words = "what all of us know";
        Secret secret = Secret.of(words);
        Node node = nodes.start(Route.TCP.spec("node").secret(secret).build());
        Node victim = nodes.start(Route.TCP.spec("victim").secret(secret).build());
        Pair pair = pair(victim, node);
        Pair back = new Pair(node, victim, node.connected().get(0));
        PeerId his = victim.id();
        PeerId claimed = incarnation == 0 ? his : new PeerId(his.id(), his.name(), incarnation);
        try (Stranger impostor = plain(node, claimed).begin(words)) {
            awaitSessions(node, 2);
            pair.settle();
            back.settle();
            isAtTheEndOf(node.connected().get(1), impostor, "for the impostor");
            assertThat(pair(node, victim).peer()).isSameAs(back.peer());
            assertThat(pair(victim, node).peer()).isSameAs(pair.peer());
        }
        Patience.until("the impostor has gone", () -> node.connected().equals(List.of(back.peer())));
        pair.settle();
    }

    /**
     * A peer that has given up its session, of which the node does not know, is let in; what is left of the former one
     * is found dead.
     */
    @Test
    void whoComesBackIsLetInAndTheFormerSessionIsFoundDead(Nodes nodes) throws Exception {
        Node node = nodes.start("node", spec -> spec.rejoinTimeout(Duration.ofMillis(50)));
        PeerId id = new PeerId(UUID.randomUUID(), "victim", 7);
        try (Relay route = new Relay(node.address())) {
            Stranger former =
                    Stranger.of(new Socket(HERE, route.address().port()), id).begin();
            awaitSessions(node, 1);
            Peer dead = node.connected().get(0);
            route.part(true);
            try (Stranger again = plain(node, id).begin()) {
                Patience.until(
                        "the former one is found dead", () -> !node.connected().contains(dead));
                awaitSessions(node, 1);
                isAtTheEndOf(node.connected().get(0), again, "for who is there");
            }
            former.close();
        }
    }

    /**
     * Who stands between two nodes, to each of which he says that he is the other, gets what was said to him, and
     * nothing else.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoClaimsToBeEachToTheOtherIsNeither(boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Node victim = startBeside(nodes, node, "victim", lower);
        try (Stranger here = plain(node, victim.id()).begin();
                Stranger there = plain(victim, node.id()).begin()) {
            awaitSessions(node, 1);
            awaitSessions(victim, 1);
            pair(node, victim).settle();
            pair(victim, node).settle();
            assertThat(isQuiet(here)).isTrue();
            assertThat(isQuiet(there)).isTrue();
            awaitSessions(node, 2);
            awaitSessions(victim, 2);
        }
    }

    /** A session that somebody passes on is with the true one; but who is dialled directly is spoken with directly. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsPassedOnIsNotTakenForADirectConnection(boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Node victim = startBeside(nodes, node, "victim", lower);
        try (Relay between = new Relay(node.address())) {
            Peer through =
                    Objects.requireNonNull(victim.connect(between.address()).block(Patience.LIMIT));
            awaitSessions(node, 1);
            Pair direct = pair(node, victim);
            awaitSessions(node, 2);
            assertThat(victim.connect(between.address()).block(Patience.LIMIT)).isSameAs(through);
            between.close();
            direct.settle();
            Pair back = pair(victim, node);
            assertThat(back.peer()).isNotSameAs(through);
            back.settle();
        }
    }
}
