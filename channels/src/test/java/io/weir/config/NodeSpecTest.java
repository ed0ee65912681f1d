package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeSpecTest {

    @TempDir
    Path folder;

    private static Arguments refusal(UnaryOperator<NodeSpec.Builder> change, String message) {
        return Arguments.of(message, change);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                refusal(
                        spec -> spec.name(" "),
                        "weir.name=' ' can't be used: a name has 1 to 255 bytes (this one 1) and no control "
                                + "characters"),
                refusal(
                        spec -> spec.name("a\nb"),
                        "weir.name='a?b' can't be used: a name has 1 to 255 bytes (this one 3) and no control "
                                + "characters"),
                refusal(
                        spec -> spec.listen(List.of()),
                        "weir.listen is empty: name at least one address, such as tcp://127.0.0.1:0"),
                refusal(
                        spec -> spec.listen("localhost:7000", "tcp://localhost:7000"),
                        "weir.listen names tcp://localhost:7000 twice"),
                refusal(spec -> spec.loops(0), "weir.loops=0 is out of range: 1 to 256"),
                refusal(spec -> spec.loops(257), "weir.loops=257 is out of range: 1 to 256"),
                refusal(spec -> spec.windowItems(0), "weir.window.items=0 is out of range: 1 to 1073741824"),
                refusal(spec -> spec.windowBytes(1000), "weir.window.bytes=1000 is out of range: 64k to 1024g"),
                refusal(
                        spec -> spec.windowItems(10).initialItems(11),
                        "weir.window.initial=11 is out of range: 0 to 10, where the most is weir.window.items"),
                refusal(spec -> spec.maxMessage(10), "weir.message.max=10 is out of range: 1k to 2147483647"),
                refusal(
                        spec -> spec.maxMessage(1 << 30),
                        "weir.node.bytes=256m is out of range: 1g to 1024g," + " where the least is weir.message.max"),
                refusal(
                        spec -> spec.connectTimeout(Duration.ZERO),
                        "weir.timeout.connect=0s is out of range: 1ms to 1h"),
                refusal(
                        spec -> spec.handshakeTimeout(Duration.ofHours(2)),
                        "weir.timeout.handshake=2h is out of range: 1ms to 1h"),
                refusal(
                        spec -> spec.stepTimeout(Duration.ofMillis(-1)),
                        "weir.timeout.step=-1ms is out of range: 1ms to 1h"),
                refusal(
                        spec -> spec.headStart(Duration.ofHours(2)),
                        "weir.timeout.head-start=2h is out of range: 0s to 1h"),
                refusal(
                        spec -> spec.drainTimeout(Duration.ofSeconds(-1)),
                        "weir.timeout.drain=-1s is out of range: 0s to 1h"),
                refusal(
                        spec -> spec.keepAliveInterval(Duration.ofMillis(9)),
                        "weir.keepalive.interval=9ms is out of range: 10ms to 30m"),
                refusal(
                        spec -> spec.keepAliveInterval(Duration.ofSeconds(40)),
                        "weir.keepalive.timeout=1m is out of range: 80s to 1h, where the least is twice"
                                + " weir.keepalive.interval"),
                refusal(spec -> spec.startTimeout(Duration.ZERO), "weir.timeout.start=0s is out of range: 1ms to 1h"),
                refusal(
                        spec -> spec.peer("a", PeerSpec.of("db:1").withPatience(Duration.ofHours(2))),
                        "weir.peers.a.wait=2h is out of range: 0s to 1h"),
                refusal(
                        spec -> spec.peer("a", PeerSpec.of("db:1").through(gateways(9))),
                        "weir.peers.a.gateway names 9 gateways, where 8 are the most"),
                refusal(
                        spec -> spec.peer("a", PeerSpec.of("gate:1").through(gateways(2))),
                        "weir.peers.a.gateway names tcp://gate:1, which is the peer itself: remove it there"),
                refusal(
                        spec -> spec.peer(
                                "a",
                                PeerSpec.of("db:1")
                                        .through(List.of(new PeerAddress("gate", 1), new PeerAddress("gate", 1)))),
                        "weir.peers.a.gateway names a gateway twice: [tcp://gate:1, tcp://gate:1]"),
                refusal(
                        spec -> spec.tls(TlsSpec.builder().build()),
                        "weir.tls=on needs to know whom to trust: set weir.tls.trust to the certificates of those who"
                                + " issue the peers' ones, or weir.tls.trust-store"),
                refusal(
                        spec -> spec.tls(trusting().build()),
                        "weir.tls=on needs a certificate for who connects to weir.listen: set weir.tls.certificate and"
                                + " weir.tls.key, or weir.tls.key-store"),
                refusal(
                        spec -> spec.tls(
                                trusting().certificate(Path.of("a.pem")).build()),
                        "weir.tls.certificate and weir.tls.key belong together: weir.tls.key is not set"),
                refusal(
                        spec -> spec.tls(trusting().key(Path.of("a.key")).build()),
                        "weir.tls.certificate and weir.tls.key belong together: weir.tls.certificate is not set"),
                refusal(
                        spec -> spec.tls(trusting()
                                .certificate(Path.of("a.pem"))
                                .keyStore(Path.of("a.p12"))
                                .build()),
                        "weir.tls.certificate and weir.tls.key-store are both set: remove one of them"),
                refusal(
                        spec -> spec.tls(
                                trusting().trustStore(Path.of("ca.p12")).build()),
                        "weir.tls.trust and weir.tls.trust-store are both set: remove one of them"),
                refusal(
                        spec -> spec.tls(supplied()
                                .revocationLists(Path.of("revoked.pem"))
                                .build()),
                        "weir.tls.revocation-lists and TlsSpec.trusted are both set: remove one of them"),
                refusal(
                        spec -> spec.tls(supplied().ocsp(true).build()),
                        "weir.tls.ocsp and TlsSpec.trusted are both set: remove one of them"),
                refusal(
                        spec -> spec.tls(TlsSpec.OFF.toBuilder()
                                .protocols(List.of("TLSv1.3", "SSLv3"))
                                .build()),
                        "weir.tls.protocols=TLSv1.3,SSLv3 can't be used: name one or more of TLSv1.3, TLSv1.2"),
                refusal(
                        spec -> spec.tls(
                                TlsSpec.OFF.toBuilder().reload(Duration.ZERO).build()),
                        "weir.tls.reload=0s is out of range: 10ms to 1h"),
                refusal(spec -> spec.maxPeers(0), "weir.max.peers=0 is out of range: 1 to 1048576"),
                refusal(spec -> spec.maxChannels(0), "weir.max.channels=0 is out of range: 1 to 1048576"),
                refusal(spec -> spec.maxHandshakes(0), "weir.max.handshakes=0 is out of range: 1 to 65536"),
                refusal(spec -> spec.maxHandshakeRate(0), "weir.max.handshake-rate=0 is out of range: 1 to 1000000"),
                refusal(
                        spec -> spec.formerSecret(Secret.of("0123456789abcdef")),
                        "weir.security.former-secret is set and weir.security.secret is not: the former one is for the"
                                + " time of a change only; set weir.security.secret to the present one"),
                refusal(
                        spec -> spec.directory(DirectoryKind.ZOOKEEPER),
                        "weir.directory=zookeeper needs to know the servers: set"
                                + " weir.directory.zookeeper.connect=host:2181, or several between commas"),
                refusal(
                        spec -> spec.zooKeeper(NodeDefaults.ZOOKEEPER.root("weir/")),
                        "weir.directory.zookeeper.root=weir/ is not a node of ZooKeeper: write /name or /name/name, of"
                                + " letters, digits, dashes and _"),
                refusal(
                        spec -> spec.zooKeeper(NodeDefaults.ZOOKEEPER.user("a:b")),
                        "weir.directory.zookeeper.user=a:b is not a user's name: it is not empty and has no colon"),
                refusal(
                        spec -> spec.zooKeeper(NodeDefaults.ZOOKEEPER.user("weir")),
                        "weir.directory.zookeeper.user and weir.directory.zookeeper.password-file belong together:"
                                + " weir.directory.zookeeper.password-file is not set"),
                refusal(
                        spec -> spec.zooKeeper(NodeDefaults.ZOOKEEPER.session(Duration.ZERO)),
                        "weir.directory.zookeeper.session=0s is out of range: 10ms to 1h"),
                refusal(
                        spec -> spec.advertise("0.0.0.0:7000"),
                        "weir.advertise=tcp://0.0.0.0:7000 leads nowhere: write the host and the port by which "
                                + "others reach this"
                                + " node"),
                refusal(
                        spec -> spec.advertise("till:0"),
                        "weir.advertise=tcp://till:0 leads nowhere: write the host and the port by which others "
                                + "reach this node"),
                refusal(spec -> spec.mailboxItems(0), "weir.mailbox.items=0 is out of range: 1 to 16777216"),
                refusal(
                        spec -> spec.order("myrinet", "tcp"),
                        "weir.transport.order names 'myrinet', which is no path; did you mean gm?"
                                + " Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp"),
                refusal(
                        spec -> spec.path("sockets", PathSwitch.OFF),
                        "weir.transport.sockets names 'sockets', which is no path; did you mean tcp?"
                                + " Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp"),
                refusal(
                        spec -> spec.order("shm", "tcp")
                                .path("shm", PathSwitch.OFF)
                                .path("tcp", PathSwitch.OFF),
                        "weir.transport.order leaves no path that could be used: off are shm, tcp"),
                refusal(NodeSpec.Builder::order, "weir.transport.order leaves no path that could be used: it is empty"),
                refusal(
                        spec -> spec.order("shm", "tcp").path("gm", PathSwitch.REQUIRED),
                        "weir.transport.gm=required can't be met: weir.transport.order does not name gm (shm, tcp)"),
                refusal(
                        spec -> spec.order("measured", "shm").path("shm", PathSwitch.OFF),
                        "weir.transport.order leaves no path that could be used: off are shm"),
                refusal(
                        spec -> spec.order("measured", "shm").path("gm", PathSwitch.REQUIRED),
                        "weir.transport.gm=required can't be met: weir.transport.order does not name gm (shm)"),
                refusal(
                        spec -> spec.order("measurd", "shm"),
                        "weir.transport.order names 'measurd', which is no path; did you mean measured?"),
                refusal(
                        spec -> spec.transportOption("gm", "port", "2"),
                        "weir.transport.gm.port can't be used: no adapter for gm is on the class path;"
                                + " add its jar or remove the setting"),
                refusal(
                        spec -> spec.peer(
                                "billing",
                                new PeerSpec(PeerAddress.parse("db:7000"), new PathPolicy(List.of("qsnet"), Map.of()))),
                        "weir.peers.billing.transport.order names 'qsnet', which is no path; did you mean elan?"
                                + " Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp"),
                refusal(
                        spec -> spec.order("shm", "tcp")
                                .port(
                                        "prices",
                                        new PortSpec(new PathPolicy(
                                                List.of(), Map.of("shm", PathSwitch.OFF, "tcp", PathSwitch.OFF)))),
                        "weir.ports.prices.transport.order leaves no path that could be used: off are shm, tcp"));
    }

    private static TlsSpec.Builder trusting() {
        return TlsSpec.builder().trust(Path.of("ca.pem"));
    }

    private static TlsSpec.Builder supplied() {
        return TlsSpec.builder().trusted(() -> {
            throw new AssertionError("nothing is read yet");
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void refuses(String message, UnaryOperator<NodeSpec.Builder> change) {
        NodeSpec.Builder builder = change.apply(NodeSpec.builder());
        assertThatThrownBy(builder::build).isInstanceOf(Misconfigured.class).hasMessage(message);
    }

    @Test
    void refusesNamesThatAreTooLong() {
        assertThatThrownBy(() -> NodeSpec.builder().name("ü".repeat(128)).build())
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("a name has 1 to 255 bytes (this one 256)");
    }

    @Test
    void hasTheDocumentedDefaults() {
        NodeSpec spec = NodeSpec.builder().build();
        assertThat(spec.name()).isNotBlank();
        assertThat(spec.listen()).containsExactly(PeerAddress.parse("tcp://127.0.0.1:0"));
        assertThat(spec.runtimeFolder()).isEqualTo(RuntimeFolder.standard());
        assertThat(spec.nativeAllowed()).isTrue();
        assertThat(spec.loops()).isEqualTo(1);
        assertThat(spec.waiting()).isEqualTo(Waiting.BALANCED);
        assertThat(spec.paths()).isEqualTo(PathPolicy.standard());
        assertThat(spec.transportOptions()).isEmpty();
        assertThat(spec.peers()).isEmpty();
        assertThat(spec.ports()).isEmpty();
        assertThat(spec.tls()).isEqualTo(TlsSpec.OFF);
        assertThat(spec.windows().items()).isEqualTo(16 * 1024);
        assertThat(spec.windows().bytes()).isEqualTo(4 << 20);
        assertThat(spec.windows().initial()).isEqualTo(256);
        assertThat(spec.memory().maxMessage()).isEqualTo(64 << 20);
        assertThat(spec.memory().nodeBytes()).isEqualTo(256 << 20);
        assertThat(spec.timeouts().connect()).isEqualTo(Duration.ofSeconds(5));
        assertThat(spec.timeouts().handshake()).isEqualTo(Duration.ofSeconds(5));
        assertThat(spec.timeouts().step()).isEqualTo(Duration.ofSeconds(2));
        assertThat(spec.timeouts().headStart()).isEqualTo(Duration.ofSeconds(1));
        assertThat(spec.timeouts().drain()).isEqualTo(Duration.ofSeconds(2));
        assertThat(spec.keepAlive().interval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(spec.keepAlive().timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(spec.timeouts().resume()).isEqualTo(Duration.ofSeconds(30));
        assertThat(spec.timeouts().rejoin()).isEqualTo(Duration.ofMillis(500));
        assertThat(spec.memory().resumeBytes()).isEqualTo(16 << 20);
        assertThat(spec.repathProbation()).isEqualTo(Duration.ofSeconds(1));
        assertThat(spec.paths().repathOrDefault()).isEqualTo(Repath.ALWAYS);
        assertThat(spec.mailboxItems()).isEqualTo(1024);
        assertThat(spec.timeouts().start()).isEqualTo(Duration.ofSeconds(30));
        assertThat(PeerSpec.of("db:1").connect()).isEqualTo(PeerSpec.Connect.LAZY);
        assertThat(PeerSpec.of("db:1").patience()).isZero();
        assertThat(spec.security()).isEqualTo(SecuritySpec.NONE);
        assertThat(spec.limits().handshakes()).isEqualTo(256);
        assertThat(spec.limits().handshakeRate()).isEqualTo(1000);
        assertThat(spec.gatewayAccept()).isTrue();
        assertThat(spec.advertised()).isEmpty();
        assertThat(spec.services()).isEmpty();
        assertThat(spec.service("any").patience()).isEqualTo(Duration.ofSeconds(5));
        assertThat(spec.service("any").balance()).isEqualTo(Balance.ROUND_ROBIN);
        assertThat(spec.service("any").password()).isNull();
    }

    @Test
    void aSmallWindowLowersWhatMayTravelUnasked() {
        NodeSpec small = NodeSpec.builder().windowItems(16).build();
        assertThat(small.windows().initial()).isEqualTo(16);
        assertThat(small.toBuilder().windowItems(2048).build().windows().initial())
                .isEqualTo(256);
        assertThat(small.toBuilder().windowItems(8).build().windows().initial()).isEqualTo(8);
    }

    @Test
    void aBuilderOfASpecMakesTheSameSpec() {
        NodeSpec spec = everything();
        assertThat(spec.toBuilder().build()).isEqualTo(spec).hasSameHashCodeAs(spec);
    }

    @Test
    @SuppressWarnings("NullAway") // Programs may do so whose compiler does not check it.
    void nullIsNoDefault() {
        assertThatThrownBy(() -> NodeSpec.builder().name(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("weir.name");
    }

    @Test
    void printsNothingThatIsAsByDefault() {
        assertThat(NodeSpec.builder().build()).hasToString("NodeSpec[]");
    }

    @Test
    void printsWhatDiffersInTheWordsOfTheProperties() {
        try (ForeignJar jar = ForeignJar.withPigeons(folder)) {
            NodeSpec spec = everything().toBuilder()
                    .transportOption("pigeon", "speed", "9")
                    .build();
            assertThat(spec)
                    .hasToString("NodeSpec[weir.name=till, weir.listen=tcp://0.0.0.0:7000,unix:/run/till,"
                            + " weir.runtime-folder=/run/weir, weir.native=off, weir.loops=2, weir.waiting=frugal,"
                            + " weir.window.items=16, weir.window.bytes=64k, weir.window.initial=4,"
                            + " weir.message.max=1m, weir.node.bytes=2m, weir.memory.max=48m, weir.timeout.connect=1s,"
                            + " weir.timeout.handshake=1500ms, weir.timeout.step=2m, "
                            + "weir.timeout.head-start=20ms, weir.timeout.drain=0s,"
                            + " weir.keepalive.interval=100ms, weir.keepalive.timeout=3s, "
                            + "weir.timeout.resume=7s, weir.timeout.rejoin=3s, weir.resume.bytes=1m, weir.repath.probation=250ms, weir.timeout.start=1m,"
                            + " weir.max.peers=3, weir.max.channels=5, weir.mailbox.items=7,"
                            + " weir.max.handshakes=9, weir.max.handshake-rate=11, weir.gateway.accept=off,"
                            + " weir.advertise=tcp://till.example:7000, weir.repath=once, weir.security.require=none,"
                            + " weir.transport.order=tcp,shm, weir.transport.shm=required,"
                            + " weir.transport.pigeon.speed=9, weir.peers.billing.address=tcp://db:7000,"
                            + " weir.peers.billing.repath=off, weir.peers.billing.connect=eager,"
                            + " weir.peers.billing.wait=3s, weir.peers.billing.gateway=tcp://gate:7000,unix:/run/gate,"
                            + " weir.peers.billing.transport.order=shm,"
                            + " weir.ports.prices.allow=CN=billing,O=shop; name:till,"
                            + " weir.ports.prices.transport.tcp=off,"
                            + " weir.services.prices.wait=7s, weir.services.prices.balance=least-outstanding]");
        }
    }

    @Test
    void whatItPrintsIsWhatOneWouldWrite() {
        String printed = everything().toString();
        Map<String, String> properties = new HashMap<>();
        Matcher entry =
                Pattern.compile("(weir\\.[^=]+)=(.*?)(?:, (?=weir\\.)|]$)").matcher(printed);
        while (entry.find()) {
            properties.put(entry.group(1), entry.group(2));
        }
        assertThat(NodeSpec.builder().properties(properties).build()).isEqualTo(everything());
    }

    @Test
    void whoIsReachedOverUnixSocketsOnlyNeedsNoCertificate() {
        NodeSpec spec = NodeSpec.builder()
                .listen("unix:/run/till")
                .tls(trusting().build())
                .build();
        assertThat(spec.settings("tcp").tls()).isEqualTo(trusting().build());
    }

    @Test
    void noPasswordIsPrinted() {
        NodeSpec spec = NodeSpec.builder()
                .name("till")
                .tls(TlsSpec.builder()
                        .keyStore(Path.of("till.p12"))
                        .keyStorePassword("sesame")
                        .keyPassword("sesame")
                        .trustStore(Path.of("trust.jks"))
                        .trustStorePassword("sesame")
                        .verifyHost(false)
                        .build())
                .build();
        assertThat(spec)
                .hasToString("NodeSpec[weir.name=till, weir.tls=on, weir.tls.key-password=***,"
                        + " weir.tls.key-store=till.p12, weir.tls.key-store-password=***,"
                        + " weir.tls.trust-store=trust.jks, weir.tls.trust-store-password=***,"
                        + " weir.tls.verify-host=off]");
        assertThat(spec.settings("tcp").toString())
                .contains("till.p12", "trust.jks")
                .doesNotContain("sesame");
    }

    @Test
    void narrowsThePathsOfPeersAndPorts() {
        NodeSpec spec = everything();
        assertThat(spec.pathsToPeer("billing"))
                .isEqualTo(new PathPolicy(List.of("shm"), Map.of("shm", PathSwitch.REQUIRED), Repath.OFF));
        assertThat(spec.pathsToPeer("stranger")).isEqualTo(spec.paths());
        assertThat(spec.ports().get("prices").paths().of("tcp")).isEqualTo(PathSwitch.OFF);
    }

    @Test
    void tellsEachAdapterItsOwnOptions() {
        try (ForeignJar jar = ForeignJar.withPigeons(folder)) {
            NodeSpec spec = everything().toBuilder()
                    .transportOption("pigeon", "speed", "9")
                    .build();
            assertThat(spec.settings("pigeon").options()).containsExactly(Map.entry("speed", "9"));
            assertThat(spec.settings("pigeon").nativeAllowed()).isFalse();
            assertThat(spec.settings("pigeon").runtimeFolder()).isEqualTo(Path.of("/run/weir"));
            assertThat(spec.settings("tcp").options()).isEmpty();
        }
    }

    private static NodeSpec everything() {
        return NodeSpec.builder()
                .name("till")
                .listen("0.0.0.0:7000", "unix:/run/till")
                .runtimeFolder(Path.of("/run/weir"))
                .nativeAllowed(false)
                .loops(2)
                .waiting(Waiting.FRUGAL)
                .order("tcp", "shm")
                .path("shm", PathSwitch.REQUIRED)
                .peer(
                        "billing",
                        new PeerSpec(
                                PeerAddress.parse("db:7000"),
                                new PathPolicy(List.of("shm"), Map.of(), Repath.OFF),
                                PeerSpec.Connect.EAGER,
                                Duration.ofSeconds(3),
                                List.of(new PeerAddress("gate", 7000), new PeerAddress("/run/gate", -1))))
                .repath(Repath.ONCE)
                .port(
                        "prices",
                        new PortSpec(
                                new PathPolicy(List.of(), Map.of("tcp", PathSwitch.OFF)),
                                Set.of("CN=billing,O=shop", "name:till")))
                .windowItems(16)
                .windowBytes(64 << 10)
                .initialItems(4)
                .maxMessage(1 << 20)
                .nodeBytes(2 << 20)
                .memoryMax(48 << 20)
                .connectTimeout(Duration.ofSeconds(1))
                .handshakeTimeout(Duration.ofMillis(1500))
                .stepTimeout(Duration.ofMinutes(2))
                .headStart(Duration.ofMillis(20))
                .drainTimeout(Duration.ZERO)
                .keepAliveInterval(Duration.ofMillis(100))
                .keepAliveTimeout(Duration.ofSeconds(3))
                .resumeTimeout(Duration.ofSeconds(7))
                .rejoinTimeout(Duration.ofSeconds(3))
                .resumeBytes(1 << 20)
                .repathProbation(Duration.ofMillis(250))
                .startTimeout(Duration.ofMinutes(1))
                .maxPeers(3)
                .maxChannels(5)
                .mailboxItems(7)
                .require(Requirement.NONE)
                .maxHandshakes(9)
                .maxHandshakeRate(11)
                .gatewayAccept(false)
                .advertise("till.example:7000")
                .service(
                        "prices",
                        ServiceSettings.STANDARD
                                .withPatience(Duration.ofSeconds(7))
                                .withBalance(Balance.LEAST_OUTSTANDING))
                .build();
    }

    private static List<PeerAddress> gateways(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(port -> new PeerAddress("gate", port))
                .toList();
    }
}
