package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Secret;
import io.weir.core.AuthenticationFailed;
import io.weir.core.FrameKind;
import io.weir.core.PeerAddress;
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
import io.weir.integration.StrangersDoor;
import io.weir.tck.Authority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
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
import reactor.test.StepVerifier;

/**
 * Who says that he is somebody else, whatever he has beside: an id belongs to a key, and who has not the key gets
 * nothing, and disturbs nobody.
 */
@Tag("whole")
class ImpersonationTest implements OnRoute {

    private static final String HERE = "127.0.0.1";
    private static final String WORDS = "what all of us know";
    private static final char[] SESAME = "sesame".toCharArray();

    // In REFUSE.
    private static final int UNPROVED = 2;
    private static final int ENDED = 8;

    private static final String ANOTHER_KEY = "it has another key than the one of the id that it says it has";

    @TempDir
    static Path folder;

    private static Authority authority;

    /** What the impostor shows beside the id, and the node wants to see. */
    private enum Shown {
        THE_SAME_NAME("victim"),
        ANOTHER_CERTIFICATE("impostor"),
        NO_CERTIFICATE(null),
        SECRET(null),
        NOTHING(null);

        private final @Nullable String certificate;

        Shown(@Nullable String certificate) {
            this.certificate = certificate;
        }

        boolean overTls() {
            return this != SECRET && this != NOTHING;
        }

        /** The settings of a node of this name. */
        NodeSpec.Builder settings(NodeSpec.Builder spec, String name) {
            if (!overTls()) {
                return this == SECRET ? spec.secret(Secret.of(WORDS)) : spec;
            }
            try {
                return spec.tls(authority
                        .tls(authority.issue(name, HERE))
                        .clientAuth(TlsSpec.ClientAuth.OPTIONAL)
                        .build());
            } catch (GeneralSecurityException | IOException e) {
                throw new AssertionError(e);
            }
        }

        Node start(Nodes nodes, String name) {
            return nodes.start(name, spec -> settings(spec, name));
        }

        /** A connection to this node of one who shows this, and does not claim anything yet. */
        Stranger connect(Node node) throws Exception {
            Stranger stranger = Stranger.over(connected(node.address(), certificate));
            return this == SECRET ? stranger.knowing(WORDS) : stranger;
        }

        /** A connection of one whom the node knows as victim. */
        Stranger victim(Node node) throws Exception {
            Stranger stranger = Stranger.over(connected(node.address(), "victim"));
            return this == SECRET ? stranger.knowing(WORDS) : stranger;
        }

        /** Another connection of him. */
        Stranger again(Stranger victim, Node node) throws Exception {
            return victim.againOver(connected(node.address(), "victim"));
        }

        Socket connected(PeerAddress address, @Nullable String subject) throws Exception {
            SocketFactory sockets = overTls() ? context(subject).getSocketFactory() : SocketFactory.getDefault();
            return sockets.createSocket(HERE, address.port());
        }

        /** Where one is met who shows this. */
        ServerSocket listening() throws Exception {
            ServerSocketFactory sockets =
                    overTls() ? context(certificate).getServerSocketFactory() : ServerSocketFactory.getDefault();
            return sockets.createServerSocket(0, 5, InetAddress.getByName(HERE));
        }
    }

    @BeforeAll
    static void issue() throws Exception {
        authority = Authority.in(folder, "Ours");
    }

    private static SSLContext context(@Nullable String subject) throws Exception {
        KeyStore store = authority.store(authority.issue(String.valueOf(subject), HERE), SESAME);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, SESAME);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(subject == null ? null : keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
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

    /** Who has said HELLO proves what he can, and is told that he is not the one whom he claims to be. */
    private static void isRefused(Stranger impostor) {
        impostor.say(impostor.proof());
        hearsThatHeIsNot(impostor);
    }

    private static void hearsThatHeIsNot(Stranger impostor) {
        Stranger.Arrived refusal = impostor.refusal();
        assertThat(refusal.flags()).isEqualTo(UNPROVED);
        assertThat(refusal.text()).contains(ANOTHER_KEY);
        impostor.awaitEnd();
    }

    /** Both ends of a session between two nodes, which goes on whatever else happens. */
    private record Honest(Pair there, Pair back) {

        static Honest between(Node dialling, Node dialled) {
            Pair there = pair(dialling, dialled);
            return new Honest(there, new Pair(dialled, dialling, there.back()));
        }

        void isAsBefore() {
            there.settle();
            back.settle();
            assertThat(there.near().connected()).containsExactly(there.peer());
            assertThat(back.near().connected()).containsExactly(back.peer());
        }
    }

    private static Pair pair(Node near, Node far) {
        Peer peer = near.connect(far.address()).block(Patience.LIMIT);
        return new Pair(near, far, Objects.requireNonNull(peer));
    }

    /** Neither where the true one has a session, on either side of it, nor where he is unknown. */
    @ParameterizedTest
    @EnumSource
    void whoConnectsIsNotTakenForWhomHeClaimsToBe(Shown shown, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        Node victim = shown.start(nodes, "victim");
        Node bystander = shown.start(nodes, "bystander");
        Honest honest = Honest.between(victim, node);
        for (long incarnation :
                new long[] {victim.id().incarnation(), 0, victim.id().incarnation() + 1}) {
            PeerId claimed = new PeerId(victim.id().id(), "victim", incarnation);
            for (Node each : List.of(node, bystander)) {
                try (Stranger impostor = shown.connect(each).claiming(claimed)) {
                    impostor.hello();
                    isRefused(impostor);
                }
            }
            try (Stranger impostor = shown.connect(victim).claiming(node.id())) {
                impostor.hello();
                isRefused(impostor);
            }
            honest.isAsBefore();
        }
        assertThat(bystander.connected()).isEmpty();
    }

    /** He is refused also by who does not know yet that he has a session with the true one. */
    @ParameterizedTest
    @EnumSource(names = "NO_CERTIFICATE", mode = EnumSource.Mode.EXCLUDE)
    void whoIsDialledIsNotTakenForWhomHeClaimsToBe(Shown shown, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        Node victim = shown.start(nodes, "victim");
        Node bystander = shown.start(nodes, "bystander");
        Honest honest = Honest.between(node, victim);
        for (Node each : List.of(node, victim, bystander)) {
            Node claimed = each.equals(victim) ? node : victim;
            try (StrangersDoor door = new StrangersDoor(shown.listening(), stranger -> {
                Stranger impostor = shown == Shown.SECRET ? stranger.knowing(WORDS) : stranger;
                impostor.claiming(claimed.id()).hello();
                impostor.say(impostor.proof());
                hearsThatHeIsNot(impostor);
            })) {
                StepVerifier.create(each.connect(door.address()))
                        .expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(AuthenticationFailed.class)
                                .hasMessageContaining(HERE)
                                .hasMessageContaining(ANOTHER_KEY))
                        .verify(Patience.LIMIT);
            }
            honest.isAsBefore();
        }
        assertThat(bystander.connected()).isEmpty();
    }

    /** Who says that he is the very node with which he speaks has not its key either. */
    @ParameterizedTest
    @EnumSource(names = {"SECRET", "NOTHING"})
    void nobodyIsTakenForTheNodeItself(Shown shown, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        Honest honest = Honest.between(shown.start(nodes, "other"), node);
        try (Stranger impostor = shown.connect(node).claiming(node.id())) {
            impostor.hello();
            isRefused(impostor);
        }
        honest.isAsBefore();
    }

    /** Not even if he has guessed its number, and whichever loop hears him. */
    @ParameterizedTest
    @CsvSource({
        "THE_SAME_NAME, 1",
        "ANOTHER_CERTIFICATE, 4",
        "NO_CERTIFICATE, 1",
        "SECRET, 1",
        "SECRET, 4",
        "NOTHING, 1",
        "NOTHING, 4"
    })
    void doesNotTakeUpTheSession(Shown shown, int loops, Nodes nodes) throws Exception {
        Node node = nodes.start("node", spec -> shown.settings(spec, "node").loops(loops));
        try (Stranger victim = shown.victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            for (int times = 0; times < 2 * loops; times++) {
                doesNotTakeItUp(node, victim, shown);
            }
            assertThat(node.connected()).containsExactly(its);
            isAtTheEndOf(its, victim, "for the victim");
        }
    }

    /** Neither as the one whose session it is, nor as who he is. */
    private static void doesNotTakeItUp(Node node, Stranger victim, Shown shown) throws Exception {
        try (Stranger impostor = shown.connect(node).claiming(victim.is)) {
            impostor.helloAgain();
            impostor.say(impostor.proof());
            impostor.rejoinNow(victim.sessionNumber);
            hearsThatHeIsNot(impostor);
        }
        try (Stranger himself = shown.connect(node)) {
            himself.rejoin(victim.sessionNumber);
            Stranger.Arrived refusal = himself.refusal();
            assertThat(refusal.flags()).isEqualTo(ENDED);
            assertThat(refusal.text()).startsWith("this session ");
            himself.awaitEnd();
        }
    }

    /** The session waits for somebody to take it up, and that is not he. */
    @ParameterizedTest
    @EnumSource
    void doesNotTakeUpTheSessionThatWaits(Shown shown, Nodes nodes) throws Exception {
        Node node = nodes.start("node", spec -> shown.settings(spec, "node").rejoinTimeout(Duration.ofSeconds(30)));
        try (Stranger victim = shown.victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (LogLines log = LogLines.everything()) {
                victim.close();
                log.await(Level.INFO, "The bootstrap connection to " + its.id() + " was lost");
            }
            doesNotTakeItUp(node, victim, shown);
            try (Stranger again = shown.again(victim, node)) {
                again.rejoin(victim.sessionNumber);
                assertThat(again.await(FrameKind.REJOIN).first()).isEqualTo(victim.sessionNumber);
                again.goOn(2, 0);
                assertThat(again.await(FrameKind.RESUME).first()).isZero();
                isAtTheEndOf(its, again, "for the victim");
                assertThat(node.connected()).containsExactly(its);
            }
        }
    }

    /** Who has the key takes the place of himself, and of nobody else. */
    @ParameterizedTest
    @CsvSource({
        "THE_SAME_NAME, 0",
        "THE_SAME_NAME, 1",
        "SECRET, 0",
        "SECRET, 1",
        "NOTHING, 0",
        "NOTHING, 1",
        "NOTHING, 1000000"
    })
    void whoConnectsAnewTakesThePlaceOfHimself(Shown shown, long later, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        Pair other = pair(shown.start(nodes, "other"), node);
        try (Stranger former = shown.victim(node).begin()) {
            awaitSessions(node, 2);
            Peer before = node.connected().get(1);
            assertThat(before.id()).isEqualTo(former.is);
            PeerId is = former.is;
            try (Stranger again = shown.again(former, node)
                    .claiming(new PeerId(is.id(), is.name(), is.incarnation() + later))
                    .begin()) {
                assertThat(former.await(FrameKind.GOODBYE)).isNotNull();
                former.awaitEnd();
                Patience.until(
                        "only the later one is there",
                        () -> node.connected().size() == 2 && !node.connected().contains(before));
                Peer its = node.connected().get(1);
                assertThat(its.id()).isEqualTo(again.is);
                isAtTheEndOf(its, again, "for who is there");
                other.settle();
            }
        }
    }

    /** Who has proved more would not be told from somebody who has only got hold of his key. */
    @ParameterizedTest
    @EnumSource(names = {"ANOTHER_CERTIFICATE", "NO_CERTIFICATE"})
    void whoShowsAnotherCertificateDoesNotTakeThePlaceOfHimself(Shown shown, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        try (Stranger former = shown.victim(node).begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (Stranger again = former.againOver(shown.connected(node.address(), shown.certificate))
                    .begin()) {
                awaitSessions(node, 2);
                isAtTheEndOf(its, former, "for the former");
                isAtTheEndOf(node.connected().get(1), again, "for the later");
            }
        }
    }

    /** Nobody in between can pass on what goes over TLS between two who have shown certificates. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoShowsHisCertificateTakesThePlaceOfHimselfWhateverHeHasDialled(boolean directFirst, Nodes nodes)
            throws Exception {
        Shown shown = Shown.THE_SAME_NAME;
        Node node = shown.start(nodes, "node");
        try (Relay between = new Relay(node.address())) {
            PeerAddress first = directFirst ? node.address() : between.address();
            PeerAddress second = directFirst ? between.address() : node.address();
            try (Stranger former =
                    Stranger.over(shown.connected(first, "victim")).begin()) {
                awaitSessions(node, 1);
                Peer before = node.connected().get(0);
                try (Stranger again =
                        former.againOver(shown.connected(second, "victim")).begin()) {
                    assertThat(former.await(FrameKind.GOODBYE)).isNotNull();
                    Patience.until(
                            "only the later one is there",
                            () -> node.connected().size() == 1
                                    && !node.connected().contains(before));
                    isAtTheEndOf(node.connected().get(0), again, "for who is there");
                }
            }
        }
    }

    /** Somebody in between may read and change what goes through him: that is no reason to end what does not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsPassedOnDoesNotTakeThePlaceOfADirectConnection(boolean directFirst, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        try (Relay between = new Relay(node.address());
                Stranger first = Stranger.connect(directFirst ? node.address() : between.address())
                        .begin()) {
            awaitSessions(node, 1);
            Peer ofFirst = node.connected().get(0);
            try (Stranger second = first.again(directFirst ? between.address() : node.address())
                    .begin()) {
                awaitSessions(node, 2);
                isAtTheEndOf(ofFirst, first, "for the first");
                isAtTheEndOf(node.connected().get(1), second, "for the second");
            }
        }
    }

    /** Nor does it take up a session of a direct one; the other way round there is nothing to be lost. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsPassedOnDoesNotTakeUpADirectSession(boolean directFirst, Nodes nodes) throws Exception {
        Node node = nodes.start("node", spec -> spec.rejoinTimeout(Duration.ofSeconds(30)));
        try (Relay between = new Relay(node.address());
                Stranger first = Stranger.connect(directFirst ? node.address() : between.address())
                        .begin()) {
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (Stranger second = first.again(directFirst ? between.address() : node.address())) {
                second.rejoin(first.sessionNumber);
                if (directFirst) {
                    assertThat(second.refusal().flags()).isEqualTo(ENDED);
                    second.awaitEnd();
                    isAtTheEndOf(its, first, "for the first");
                } else {
                    assertThat(second.await(FrameKind.REJOIN).first()).isEqualTo(first.sessionNumber);
                    second.goOn(2, 0);
                    isAtTheEndOf(its, second, "for the second");
                }
                assertThat(node.connected()).containsExactly(its);
            }
        }
    }

    // Where nothing is proved but the key, as between the processes of a host that have no settings.

    /** How far the impostor has come when somebody connects to the true one. */
    private enum Far {
        HELLO,
        REFUSED
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

    /** Whoever is dialled is who is spoken with, whatever another process has said before. */
    @ParameterizedTest
    @CsvSource({"HELLO, true", "HELLO, false", "REFUSED, true", "REFUSED, false"})
    void whoIsDialledIsNotWhoClaimsHisId(Far far, boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Pair other = nodes.connect(nodes.start("other"), node);
        Node victim = startBeside(nodes, node, "victim", lower);
        try (Stranger impostor = plain(node, victim.id())) {
            impostor.hello();
            byte[] proof = impostor.proof();
            if (far == Far.REFUSED) {
                impostor.say(proof);
                hearsThatHeIsNot(impostor);
            }

            Pair pair = nodes.connect(node, victim);

            assertThat(victim.connected()).hasSize(1);
            pair.settle();
            if (far == Far.HELLO) {
                impostor.say(proof);
                hearsThatHeIsNot(impostor);
            }
            pair.settle();
            other.settle();
            assertThat(nodes.connect(node, victim).peer()).isSameAs(pair.peer());
            awaitSessions(node, 2);
        }
        pair(node, victim).settle();
    }

    /** He comes while somebody is still dialling the true one. */
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
            impostor.hello();
            isRefused(impostor);
            dialling.awaitComplete();
            assertThat(victim.connected()).hasSize(1);
            awaitSessions(node, 1);
            assertThat(node.connected().get(0).id()).isEqualTo(victim.id());
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
        Honest honest = Honest.between(victim, node);
        for (int round = 0; round < 3; round++) {
            try (Stranger impostor = plain(node, victim.id())) {
                impostor.hello();
                isRefused(impostor);
            }
            honest.isAsBefore();
            assertThat(pair(node, victim).peer()).isSameAs(honest.back.peer());
            assertThat(pair(victim, node).peer()).isSameAs(honest.there.peer());
        }
    }

    /** The secret is everybody's: it does not say which of them somebody is. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE})
    void ofThoseWhoShareASecretNoneEndsTheSessionOfAnother(long incarnation, Nodes nodes) throws Exception {
        Node node = Shown.SECRET.start(nodes, "node");
        Node victim = Shown.SECRET.start(nodes, "victim");
        Honest honest = Honest.between(victim, node);
        PeerId his = victim.id();
        PeerId claimed = incarnation == 0 ? his : new PeerId(his.id(), his.name(), incarnation);
        try (Stranger impostor = Shown.SECRET.connect(node)) {
            // As himself he is a peer, as any of them.
            assertThat(impostor.begin()).isNotNull();
            awaitSessions(node, 2);
            try (Stranger second = impostor.again(node.address()).claiming(claimed)) {
                second.hello();
                isRefused(second);
            }
            isHeard(impostor);
            honest.there.settle();
            honest.back.settle();
            assertThat(pair(node, victim).peer()).isSameAs(honest.back.peer());
            assertThat(pair(victim, node).peer()).isSameAs(honest.there.peer());
        }
        Patience.until("he has gone", () -> node.connected().equals(List.of(honest.back.peer())));
        honest.isAsBefore();
    }

    /** What was proved once, and let somebody in. */
    @ParameterizedTest
    @EnumSource
    void whatWasRecordedProvesNothingOnAnotherConnection(Shown shown, Nodes nodes) throws Exception {
        Node node = shown.start(nodes, "node");
        try (Stranger victim = shown.victim(node)) {
            byte[] hello = victim.helloOf(Stranger.MAJOR, 0, shown == Shown.SECRET ? Stranger.SECRET : 0);
            victim.hello(hello);
            byte[] proof = victim.proof();
            victim.say(proof);
            assertThat(victim.admitted()).isEqualTo(1);
            assertThat(victim.beginAdmitted()).isSameAs(victim);
            awaitSessions(node, 1);
            Peer its = node.connected().get(0);
            try (Stranger recorder = shown.connect(node)) {
                recorder.hello(hello);
                recorder.sayInTurn(proof);
                Stranger.Arrived refusal = recorder.refusal();
                assertThat(refusal.flags()).isEqualTo(UNPROVED);
                assertThat(refusal.text()).contains("what it has sealed can't be opened");
                recorder.awaitEnd();
            }
            assertThat(node.connected()).containsExactly(its);
            isAtTheEndOf(its, victim, "for the victim");
        }
    }

    /** What a node has said to who dials it is worth nothing to who lets another one dial himself. */
    @Test
    void whatTheNodeProvesToOneItDoesNotProveToAnother(Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Node victim = nodes.start("victim");
        Honest honest = Honest.between(node, victim);
        try (Stranger asking = Stranger.connect(victim.address())) {
            asking.hello();
            byte[] hello = asking.await(FrameKind.HELLO).body();
            byte[] proof = asking.await(FrameKind.PROOF).body();
            try (StrangersDoor door = new StrangersDoor(impostor -> {
                impostor.hello(hello);
                impostor.say(proof);
                assertThat(impostor.refusal().flags()).isEqualTo(UNPROVED);
                impostor.awaitEnd();
            })) {
                StepVerifier.create(node.connect(door.address()))
                        .expectErrorSatisfies(error -> assertThat(error)
                                .isInstanceOf(AuthenticationFailed.class)
                                .hasMessageContaining("what it has sealed can't be opened"))
                        .verify(Patience.LIMIT);
            }
        }
        honest.isAsBefore();
    }

    /**
     * A peer that has given up its session, of which the node does not know, is let in; what is left of the former one
     * is found dead.
     */
    @Test
    void whoComesBackIsLetInAndTheFormerSessionIsFoundDead(Nodes nodes) throws Exception {
        Node node = nodes.start("node", spec -> spec.rejoinTimeout(Duration.ofMillis(50)));
        try (Relay route = new Relay(node.address());
                Stranger former = Stranger.connect(route.address()).begin()) {
            awaitSessions(node, 1);
            Peer dead = node.connected().get(0);
            route.part(true);
            try (Stranger again = former.again(node.address()).begin()) {
                Patience.until(
                        "the former one is found dead", () -> !node.connected().contains(dead));
                awaitSessions(node, 1);
                isAtTheEndOf(node.connected().get(0), again, "for who is there");
            }
        }
    }

    /** Who stands between two nodes, to each of which he says that he is the other, gets nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoClaimsToBeEachToTheOtherIsNeither(boolean lower, Nodes nodes) throws Exception {
        Node node = nodes.start("node");
        Node victim = startBeside(nodes, node, "victim", lower);
        try (Stranger here = plain(node, victim.id());
                Stranger there = plain(victim, node.id())) {
            here.hello();
            there.hello();
            byte[] proof = here.proof();
            Honest honest = Honest.between(node, victim);
            here.say(proof);
            hearsThatHeIsNot(here);
            isRefused(there);
            honest.isAsBefore();
            pair(victim, node).settle();
            honest.isAsBefore();
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
