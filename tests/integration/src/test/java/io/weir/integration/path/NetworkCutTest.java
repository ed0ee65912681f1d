package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.integration.Blackboard;
import io.weir.integration.Child;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.OtherProcess;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.integration.path.Cable.End;
import io.weir.peer.PathDecision;
import io.weir.service.Services;
import io.weir.tck.Authority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.test.StepVerifier;

/** A real network between two processes, which is cut without anybody being told: what a pulled cable does. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class NetworkCutTest implements OnRoute {

    private static final int PORT = 7400;

    /** More messages than may be under way. */
    private static final int MANY = 20_000;

    private static @Nullable Cable laid;

    @TempDir
    static Path folder;

    private enum Way {
        TCP("tcp"),
        /** The same, encrypted. */
        TLS("tcp"),
        /** In memory, which needs the network for nothing but what is to be agreed. */
        SHM("shm");

        private final String path;

        Way(String path) {
            this.path = path;
        }
    }

    @BeforeAll
    static void lay() {
        laid = Cable.orSkip();
    }

    @AfterAll
    static void remove() {
        if (laid != null) {
            laid.close();
        }
    }

    private static Cable cable() {
        return Objects.requireNonNull(laid);
    }

    /** What both nodes are told: to notice a cut soon, and to wait so long for its end. */
    private static Map<String, String> settings(Way way, String resume) {
        return Map.of(
                "weir.transport.order",
                way == Way.SHM ? "shm, tcp" : "tcp",
                "weir.transport.tcp.user-timeout",
                "300ms",
                "weir.keepalive.interval",
                "100ms",
                "weir.repath.probation",
                "10ms",
                "weir.timeout.resume",
                resume,
                "weir.security.secret",
                "between these two and nobody else");
    }

    /** A certificate for this host, if they talk over TLS. */
    private static Map<String, String> tls(Way way, Authority authority, String host) {
        if (way != Way.TLS) {
            return Map.of();
        }
        try {
            Authority.Issued issued = authority.issue("node at " + host, host);
            return Map.of(
                    "weir.tls",
                    "on",
                    "weir.tls.certificate",
                    issued.certificate().toString(),
                    "weir.tls.key",
                    issued.key().toString(),
                    "weir.tls.trust",
                    authority.certificate().toString());
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Two nodes with the cable between them; the far one is a process that may be started several times. */
    private static final class Hosts {

        private final Way way;
        private final Map<String, String> there;
        private final Node near;

        Hosts(Way way, String resume, Nodes nodes) throws GeneralSecurityException, IOException {
            this.way = way;
            Authority authority = Authority.in(Files.createTempDirectory(folder, "authority"), "Ours");
            Map<String, String> here = new HashMap<>(settings(way, resume));
            here.putAll(tls(way, authority, "127.0.0.1"));
            // Who closes while the network is cut has nobody to whom anything could be delivered.
            this.near = nodes.start(Route.any("near")
                    .drainTimeout(Duration.ofSeconds(1))
                    .properties(here)
                    .build());
            this.there = new HashMap<>(settings(way, resume));
            there.putAll(tls(way, authority, cable().farHost()));
            there.put("weir.listen", "tcp://" + cable().farHost() + ':' + PORT);
            // As on the near side: far more patience than a busy machine needs.
            there.put("weir.timeout.handshake", "1m");
            there.put("weir.timeout.step", "1m");
        }

        Child far() {
            List<String> environment = there.entrySet().stream()
                    .map(setting -> setting.getKey().toUpperCase(Locale.ROOT).replaceAll("[.-]", "_")
                            + '='
                            + setting.getValue())
                    .toList();
            return Child.start(cable().far(environment), OtherProcess.class, OtherProcess.CONFIGURED);
        }

        Peer connect(Child child) {
            Peer peer = Objects.requireNonNull(near.connect(child.address()).block(Patience.LIMIT));
            assertThat(path(peer)).isEqualTo(way.path);
            return peer;
        }

        /** Cuts all that is between them, and returns when the near side has noticed. */
        void cut(End end, Peer peer) {
            try (LogLines log = new LogLines(Node.class.getName())) {
                cable().pull(end);
                if (way == Way.SHM) {
                    peer.cut().block(Patience.LIMIT);
                }
                log.await(Level.INFO, "The bootstrap connection to " + peer.id() + " was lost");
            }
        }
    }

    private static String path(Peer peer) {
        return peer.path().chosen().map(PathDecision.Attempt::path).orElse("none");
    }

    private static boolean goesOver(Peer peer, String path) {
        return Objects.requireNonNull(peer.moveTo(path)
                .map(decision -> true)
                .onErrorReturn(Refused.class, false)
                .block(Patience.LIMIT));
    }

    private static Probe<Message> poured(Peer peer) {
        Parcels parcels = new Parcels(3, Sizes.ONE_MIB);
        Probe<Message> poured = Probe.of(Long.MAX_VALUE, parcels.checker());
        peer.stream(OtherProcess.POUR, new OtherProcess.Order(parcels, Long.MAX_VALUE).message())
                .subscribe(poured);
        return poured;
    }

    private static String ask(Peer peer, String port) {
        Message answer = Objects.requireNonNull(peer.ask(port, Message.of("?")).block(Patience.LIMIT));
        try {
            return answer.text();
        } finally {
            answer.release();
        }
    }

    /**
     * Whoever leaves and closes does not wait for the network to be whole again, whether the cut was noticed or not.
     */
    @ParameterizedTest
    @EnumSource
    void holdsUpNobodyWhoLeaves(Way way, Nodes nodes) throws GeneralSecurityException, IOException {
        Hosts hosts = new Hosts(way, "1h", nodes);
        Services services = Services.of(hosts.near, new Blackboard().of(hosts.near));
        try (Child child = hosts.far()) {
            Peer peer = hosts.connect(child);
            Probe<Message> poured = poured(peer);
            poured.awaitReceived(1);
            cable().pull(End.FAR);
            try {
                StepVerifier.create(services.leave(Duration.ofMillis(200)).then(hosts.near.close()))
                        .expectComplete()
                        .verify(Patience.LIMIT);
            } finally {
                cable().plug(End.FAR);
            }
            assertThat(poured.awaitError()).isInstanceOf(SessionLost.class);
        }
    }

    /**
     * Shorter than the limits, again and again: streams in both directions stand still, and go on as if nothing had
     * been.
     */
    @ParameterizedTest
    @EnumSource
    void aCutIsAPause(Way way, Nodes nodes) throws GeneralSecurityException, IOException {
        Hosts hosts = new Hosts(way, "1m", nodes);
        try (Child child = hosts.far()) {
            Peer peer = hosts.connect(child);
            Echoed small = new Echoed(peer, 1, Sizes.TINY);
            Echoed mixed = new Echoed(peer, 2, Sizes.MIXED);
            Probe<Message> poured = poured(peer);
            for (End end : List.of(End.NEAR, End.FAR)) {
                Patience.until("it goes over " + way.path, () -> path(peer).equals(way.path));
                small.goesOn();
                hosts.cut(end, peer);
                cable().plug(end);
                small.goesOn();
                mixed.goesOn();
                poured.awaitReceived(poured.received() + 1);
            }
            for (int times = 0; times < 2; times++) {
                // Too short for anybody to notice.
                cable().pull(End.FAR);
                cable().plug(End.FAR);
                small.goesOn();
            }
            if (way == Way.SHM) {
                // Both directions: what is cut while one of them moves waits for the network.
                Patience.until("it goes over shm for good", () -> goesOver(peer, "shm"));
                cable().pull(End.FAR);
                small.awaitReceived(small.received() + MANY);
                cable().plug(End.FAR);
            }
            small.end();
            mixed.end();
            poured.check().cancel();
            Patience.until(
                    "everything is released there",
                    () -> ask(peer, OtherProcess.STATE).endsWith("payloads=0"));
            assertThat(hosts.near.connected()).containsExactly(peer);
            assertThat(child.leave()).as(child.said()).isZero();
            assertThat(child.said()).doesNotContain("LEAK", OtherProcess.FAILED);
        }
    }

    /**
     * Longer than {@code weir.timeout.resume}: both sides give up, and may begin anew when there is a network again.
     */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void aCutThatLastsTooLong(Way way, Nodes nodes) throws GeneralSecurityException, IOException {
        Hosts hosts = new Hosts(way, "1s", nodes);
        try (Child child = hosts.far()) {
            Peer peer = hosts.connect(child);
            Echoed stream = new Echoed(peer, 4, Sizes.MIXED);
            stream.goesOn();

            hosts.cut(End.FAR, peer);

            assertThat(stream.failure())
                    .isInstanceOf(SessionLost.class)
                    .hasMessageContaining(peer.id().toString());
            Patience.until(
                    () -> "the other side gives up as well; it said:\n" + child.said(),
                    () -> child.said().contains(OtherProcess.FAILED + SessionLost.class.getName()));
            Patience.until("nobody is connected", () -> hosts.near.connected().isEmpty());
            cable().plug(End.FAR);
            Peer again = hosts.connect(child);
            assertThat(ask(again, OtherProcess.ASK)).isEqualTo("?");
        }
    }

    /**
     * Somebody of the same name answers at the same address when the network is back: the session is over, and not his.
     */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "SHM"})
    void whoIsStartedAnewIsAnotherOne(Way way, Nodes nodes) throws GeneralSecurityException, IOException {
        Hosts hosts = new Hosts(way, "1m", nodes);
        try (Child child = hosts.far()) {
            Peer peer = hosts.connect(child);
            Echoed stream = new Echoed(peer, 5, Sizes.MIXED);
            stream.goesOn();

            hosts.cut(End.NEAR, peer);
            child.kill();
            try (Child anew = hosts.far()) {
                cable().plug(End.NEAR);

                assertThat(stream.failure())
                        .isInstanceOf(SessionLost.class)
                        .hasMessageContaining(peer.id() + " is gone")
                        .hasMessageContaining("it has been started anew: other-");
                Peer again = hosts.connect(anew);
                assertThat(again.id()).isNotEqualTo(peer.id());
                assertThat(ask(again, OtherProcess.ASK)).isEqualTo("?");
            }
        }
    }
}
