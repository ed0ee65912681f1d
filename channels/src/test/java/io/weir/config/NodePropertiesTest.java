package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePropertiesTest {

    private static final String KNOWN_PATHS = " Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp";

    private static final String KNOWN = " Known: weir.advertise, weir.directory, weir.directory.zookeeper.connect, "
            + "weir.directory.zookeeper.password-file, weir.directory.zookeeper.root,"
            + " weir.directory.zookeeper.session, weir.directory.zookeeper.timeout, "
            + "weir.directory.zookeeper.user, weir.gateway.accept, weir.keepalive.interval, weir.keepalive.timeout, weir.listen, weir.loops, weir.mailbox.items, weir.max.channels,"
            + " weir.max.handshake-rate, weir.max.handshakes, weir.max.peers, weir.memory.max, "
            + "weir.message.max, weir.name, weir.native, weir.node.bytes, weir.repath, weir.repath.probation, weir.resume.bytes, weir.runtime-folder,"
            + " weir.security.former-secret, weir.security.former-secret-file, weir.security.require,"
            + " weir.security.secret, weir.security.secret-file,"
            + " weir.timeout.connect, weir.timeout.drain, weir.timeout.handshake, "
            + "weir.timeout.head-start, weir.timeout.rejoin, weir.timeout.resume, weir.timeout.start, weir.timeout.step,"
            + " weir.tls, weir.tls.certificate, weir.tls.client-auth, weir.tls.key, weir.tls.key-password,"
            + " weir.tls.key-store, weir.tls.key-store-password, weir.tls.ocsp, weir.tls.protocols, weir.tls.reload,"
            + " weir.tls.revocation-lists, weir.tls.trust, weir.tls.trust-store, weir.tls.trust-store-password, weir.tls.verify-host,"
            + " weir.waiting,"
            + " weir.window.bytes, weir.window.initial, weir.window.items,"
            + " weir.transport.…, weir.peers.<peer>.…, weir.ports.<port>.…, weir.services.<service>.…";

    @TempDir
    Path folder;

    private static NodeSpec read(String... namesAndValues) {
        return NodeSpec.builder().properties(map(namesAndValues)).build();
    }

    private static Map<String, String> map(String... namesAndValues) {
        Map<String, String> map = new TreeMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            map.put(namesAndValues[at], namesAndValues[at + 1]);
        }
        return map;
    }

    private static Properties properties(String... namesAndValues) {
        Properties properties = new Properties();
        properties.putAll(map(namesAndValues));
        return properties;
    }

    private static NodeSpec environment(String... namesAndValues) {
        return NodeProperties.merge(new Properties(), new Properties(), map(namesAndValues))
                .build();
    }

    @Test
    void readsEverySetting() {
        NodeSpec spec = read(
                "weir.name", "till",
                "weir.listen", "tcp://0.0.0.0:7000, unix:/run/till",
                "weir.runtime-folder", "/run/weir",
                "weir.native", "off",
                "weir.loops", "2",
                "weir.waiting", "frugal",
                "weir.transport.order", "tcp, shm",
                "weir.transport.shm", "required",
                "weir.peers.billing.address", "db:7000",
                "weir.peers.billing.transport.order", "shm",
                "weir.peers.billing.transport.tcp", "off",
                "weir.peers.billing.repath", "off",
                "weir.peers.billing.connect", "eager",
                "weir.peers.billing.wait", "3s",
                "weir.peers.billing.gateway", "gate:7000, unix:/run/gate",
                "weir.gateway.accept", "off",
                "weir.timeout.start", "1m",
                "weir.repath", "once",
                "weir.repath.probation", "250ms",
                "weir.timeout.resume", "7s",
                "weir.timeout.rejoin", "3s",
                "weir.resume.bytes", "1m",
                "weir.ports.prices.transport.tcp", "off",
                "weir.ports.prices.transport.order", "tcp,shm",
                "weir.tls", "on",
                "weir.tls.certificate", "/etc/weir/till.pem",
                "weir.tls.key", "/etc/weir/till.key",
                "weir.tls.key-password", "sesame",
                "weir.tls.trust-store", "/etc/weir/trust.p12",
                "weir.tls.trust-store-password", "open",
                "weir.tls.revocation-lists", "/etc/weir/revoked.pem",
                "weir.tls.ocsp", "on",
                "weir.tls.client-auth", "optional",
                "weir.tls.verify-host", "off",
                "weir.tls.protocols", "TLSv1.2",
                "weir.tls.reload", "5m",
                "weir.window.items", "16",
                "weir.window.bytes", "64k",
                "weir.window.initial", "4",
                "weir.message.max", "1m",
                "weir.node.bytes", "2m",
                "weir.memory.max", "48m",
                "weir.timeout.connect", "1s",
                "weir.timeout.handshake", "1500ms",
                "weir.timeout.head-start", "20ms",
                "weir.timeout.step", "2m",
                "weir.timeout.drain", "0s",
                "weir.keepalive.interval", "100ms",
                "weir.keepalive.timeout", "3s",
                "weir.max.peers", "3",
                "weir.max.channels", "5",
                "weir.mailbox.items", "7",
                "weir.security.secret", " 0123456789abcdef ",
                "weir.security.former-secret", "fedcba9876543210",
                "weir.security.require", "authenticated",
                "weir.max.handshakes", "9",
                "weir.max.handshake-rate", "11",
                "weir.directory", "zookeeper",
                "weir.directory.zookeeper.connect", "zk1:2181,zk2:2181",
                "weir.directory.zookeeper.root", "/shop/weir",
                "weir.directory.zookeeper.timeout", "6s",
                "weir.directory.zookeeper.session", "8s",
                "weir.advertise", "till.example:7000",
                "weir.services.tax.eu.addresses", "tcp://a:1, b:2",
                "weir.ports.prices.allow", "CN=billing,O=shop; name:till",
                "weir.services.prices.password", " correct horse ",
                "weir.services.prices.wait", "7s",
                "weir.services.prices.balance", "least-outstanding");
        assertThat(spec)
                .isEqualTo(new NodeSpec(
                        "till",
                        List.of(new PeerAddress("0.0.0.0", 7000), new PeerAddress("/run/till", -1)),
                        List.of(new PeerAddress("till.example", 7000)),
                        Path.of("/run/weir"),
                        false,
                        2,
                        Waiting.FRUGAL,
                        new PathPolicy(List.of("tcp", "shm"), Map.of("shm", PathSwitch.REQUIRED), Repath.ONCE),
                        Duration.ofMillis(250),
                        Map.of(),
                        Map.of(
                                "billing",
                                new PeerSpec(
                                        new PeerAddress("db", 7000),
                                        new PathPolicy(List.of("shm"), Map.of("tcp", PathSwitch.OFF), Repath.OFF),
                                        PeerSpec.Connect.EAGER,
                                        Duration.ofSeconds(3),
                                        List.of(new PeerAddress("gate", 7000), new PeerAddress("/run/gate", -1)))),
                        Map.of(
                                "prices",
                                new PortSpec(
                                        new PathPolicy(List.of("tcp", "shm"), Map.of("tcp", PathSwitch.OFF)),
                                        Set.of("name:till", "CN=billing,O=shop"))),
                        Map.of(
                                "prices",
                                new ServiceSettings(
                                        List.of(),
                                        Password.of("correct horse"),
                                        Duration.ofSeconds(7),
                                        Balance.LEAST_OUTSTANDING),
                                "tax.eu",
                                ServiceSettings.STANDARD.withAddresses(
                                        List.of(new PeerAddress("a", 1), new PeerAddress("b", 2)))),
                        new SecuritySpec(
                                Secret.of("0123456789abcdef"),
                                Secret.of("fedcba9876543210"),
                                Requirement.AUTHENTICATED),
                        TlsSpec.builder()
                                .certificate(Path.of("/etc/weir/till.pem"))
                                .key(Path.of("/etc/weir/till.key"))
                                .keyPassword("sesame")
                                .trustStore(Path.of("/etc/weir/trust.p12"))
                                .trustStorePassword("open")
                                .revocationLists(Path.of("/etc/weir/revoked.pem"))
                                .ocsp(true)
                                .clientAuth(TlsSpec.ClientAuth.OPTIONAL)
                                .verifyHost(false)
                                .protocols(List.of("TLSv1.2"))
                                .reload(Duration.ofMinutes(5))
                                .build(),
                        new WindowSpec(16, 64 << 10, 4),
                        new MemorySpec(1 << 20, 2 << 20, 48 << 20, 1 << 20),
                        new TimeoutSpec(
                                Duration.ofSeconds(1),
                                Duration.ofMillis(1500),
                                Duration.ofMinutes(2),
                                Duration.ofMillis(20),
                                Duration.ZERO,
                                Duration.ofSeconds(7),
                                Duration.ofSeconds(3),
                                Duration.ofMinutes(1)),
                        new KeepAliveSpec(Duration.ofMillis(100), Duration.ofSeconds(3)),
                        new LimitSpec(3, 5, 9, 11),
                        7,
                        false,
                        DirectoryKind.ZOOKEEPER,
                        ZooKeeperSpec.of("zk1:2181,zk2:2181")
                                .root("/shop/weir")
                                .timeout(Duration.ofSeconds(6))
                                .session(Duration.ofSeconds(8))));
    }

    @Test
    void aNameOfAPeerMayHoldDots() {
        assertThat(read("weir.peers.billing.eu.address", "db:7000", "weir.peers.billing.eu.transport.shm", "off")
                        .peers())
                .containsOnlyKeys("billing.eu");
    }

    @Test
    void passesOverWhatBelongsToOthers() {
        assertThat(read("server.port", "8080", "weird.loops", "9")).isEqualTo(read());
    }

    @Test
    void laterSourcesWin() {
        Properties file = properties("weir.loops", "2", "weir.max.peers", "2", "weir.max.channels", "2");
        Properties system = properties("weir.max.peers", "3", "weir.max.channels", "3");
        NodeSpec spec = NodeProperties.merge(file, system, Map.of("WEIR_MAX_CHANNELS", "4"))
                .build();
        assertThat(List.of(spec.loops(), spec.limits().peers(), spec.limits().channels(), spec.mailboxItems()))
                .containsExactly(2, 3, 4, NodeDefaults.MAILBOX_ITEMS);
    }

    @Test
    void laterSwitchesWinOneByOne() {
        Properties file = properties("weir.transport.shm", "off", "weir.transport.gm", "off");
        NodeSpec spec = NodeProperties.merge(file, new Properties(), Map.of("WEIR_TRANSPORT_SHM", "required"))
                .build();
        assertThat(spec.paths().switches()).isEqualTo(Map.of("shm", PathSwitch.REQUIRED, "gm", PathSwitch.OFF));
    }

    @Test
    void theDefaultsOfPropertiesCount() {
        Properties properties = new Properties(properties("weir.loops", "3"));
        assertThat(NodeProperties.merge(properties, new Properties(), Map.of())
                        .build()
                        .loops())
                .isEqualTo(3);
    }

    @Test
    void readsTheSystemOfThisProcess() {
        String before = System.setProperty("weir.name", "from-the-system");
        try {
            assertThat(NodeSpec.fromSystem().name()).isEqualTo("from-the-system");
            NodeSpec spec = NodeSpec.from(properties("weir.name", "from-a-file", "weir.max.peers", "17"));
            assertThat(spec.name()).isEqualTo("from-the-system");
            assertThat(spec.limits().peers()).isEqualTo(17);
        } finally {
            if (before == null) {
                System.clearProperty("weir.name");
            } else {
                System.setProperty("weir.name", before);
            }
        }
    }

    @Test
    void leavesAloneWhatTheBuildIsTold() {
        Properties system = properties(
                "weir.test.java.home",
                "/jdk",
                "weir.required.paths",
                "shm",
                "weir.seed",
                "1",
                "weir.fabric",
                "required",
                "weir.fabric.classes",
                "x",
                "weir.jcstress.args",
                "-m quick");
        assertThat(NodeProperties.merge(
                                new Properties(),
                                system,
                                map(
                                        "WEIR_SEED",
                                        "2",
                                        "WEIR_TEST_JAVA_HOME",
                                        "/",
                                        "WEIR_JAVA_OPTS",
                                        "-Xmx1g",
                                        "WEIR_LOG",
                                        "DEBUG"))
                        .build())
                .isEqualTo(read());
        assertThatThrownBy(() -> read("weir.seed", "1")).isInstanceOf(Misconfigured.class);
        assertThatThrownBy(() -> NodeProperties.merge(new Properties(), properties("weir.seeds", "1"), Map.of()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.seeds is no setting of Weir." + KNOWN);
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.transport.order | myrinet,tcp | weir.transport.order names 'myrinet', which is no path; "
                        + "did you mean gm?",
                "weir.transport.order | shm, infiniband | weir.transport.order names 'infiniband', which is no "
                        + "path; did you mean verbs?",
                "weir.transport.qsnet | off | weir.transport.qsnet names 'qsnet', which is no path; did you mean elan?",
                "weir.peers.a.transport.order | socket | weir.peers.a.transport.order names 'socket', which is "
                        + "no path; did you mean tcp?",
                "weir.ports.a.transport.sysv | on | weir.ports.a.transport.sysv names 'sysv', which is no path; "
                        + "did you mean shm?",
                "weir.transport.udapl.device | x | weir.transport.udapl.device names 'udapl', which is no path; "
                        + "did you mean dapl?"
            })
    void refusesWrongPaths(String name, String value, String message) {
        assertThatThrownBy(() -> read(name, value))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message + KNOWN_PATHS);
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.loop | 2 | weir.loop is no setting of Weir; did you mean weir.loops?",
                "weir.windows.items | 2 | weir.windows.items is no setting of Weir; did you mean weir.window.items?",
                "weir.runtimeFolder | /x | weir.runtimeFolder is no setting of Weir; did you mean weir.runtime-folder?",
                "weir.colour-of-the-bikeshed | red | weir.colour-of-the-bikeshed is no setting of Weir."
            })
    void refusesUnknownSettings(String name, String value, String message) {
        assertThatThrownBy(() -> read(name, value))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message + KNOWN);
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.loops | many | weir.loops=many is not a whole number, such as 1024",
                "weir.waiting | eager | weir.waiting=eager is not one of latency, balanced, frugal",
                "weir.window.bytes | much | weir.window.bytes=much is not a size: write bytes, or 64k, 8m, 1g "
                        + "(powers of 1024)",
                "weir.timeout.step | 5 | weir.timeout.step=5 is not a time: write 500ms, 5s, 2m or 1h",
                "weir.transport.shm | maybe | weir.transport.shm=maybe is not a switch of a path: write on, off "
                        + "or required",
                "weir.transport.order | shm,shm | weir.transport.order names shm twice",
                "weir.transport.order | shm,measured | weir.transport.order: the order of paths names measured "
                        + "behind a path (shm, measured), and all of an order is measured or nothing: write it first, or leave it out",
                "weir.peers.a.transport.order | shm,measured | weir.peers.a.transport.order: the order of paths "
                        + "names measured behind a path (shm, measured), and all of an order is measured or nothing: write it first, or leave it out",
                "weir.transport.order | Measured,shm | weir.transport.order names 'Measured', which is no path; "
                        + "did you mean measured?",
                "weir.transport.odrer | shm | weir.transport.odrer is no setting; did you mean the order of the "
                        + "paths, weir.transport.order?",
                "weir.transport.gm.port | 2 | weir.transport.gm.port can't be used: no adapter for gm is on the "
                        + "class path; add its jar or remove the setting",
                "weir.listen | here | weir.listen: 'here' is not a peer's address: write tcp://host:port, "
                        + "host:port, tcp://[ipv6]:port or unix:/path",
                "weir.peers.a.address | here | weir.peers.a.address: 'here' is not a peer's address: write "
                        + "tcp://host:port, host:port, tcp://[ipv6]:port or unix:/path",
                "weir.peers.a.adress | db:1 | weir.peers.a.adress is no setting of a peer. Known: "
                        + "weir.peers.a.address, weir.peers.a.repath, weir.peers.a.connect, weir.peers.a.wait, weir.peers.a.gateway, weir.peers.a.transport.order, weir.peers.a.transport.<path>",
                "weir.peers.a | db:1 | weir.peers.a is no setting of a peer. Known: weir.peers.a.address, "
                        + "weir.peers.a.repath, weir.peers.a.connect, weir.peers.a.wait, weir.peers.a.gateway, weir.peers.a.transport.order, weir.peers.a.transport.<path>",
                "weir.ports.a.address | db:1 | weir.ports.a.address is no setting of a port. Known: "
                        + "weir.ports.a.allow, weir.ports.a.transport.order, weir.ports.a.transport.<path>",
                "weir.peers.a.connect | often | weir.peers.a.connect=often is not one of lazy, eager, required",
                "weir.peers.a.gateway | here | weir.peers.a.gateway: 'here' is not a peer's address: write "
                        + "tcp://host:port, host:port, tcp://[ipv6]:port or unix:/path",
                "weir.peers.a.wait | long | weir.peers.a.wait=long is not a time: write 500ms, 5s, 2m or 1h",
                "weir.peers.a.connect | eager | the peer a has no address; set weir.peers.a.address=tcp://host:port",
                "weir.peers.a.transport.shm | off | the peer a has no address; set "
                        + "weir.peers.a.address=tcp://host:port",
                "weir.security.secret | too short | weir.security.secret: a secret has 16 to 1024 bytes: make "
                        + "one with openssl rand -base64 32",
                "weir.security.former-secret | 0123456789abcdef | weir.security.former-secret is set and "
                        + "weir.security.secret is not: the former one is for the time of a change only; set weir.security.secret to the present one",
                "weir.security.require | tls | weir.security.require=tls is not one of none, authenticated, encrypted",
                "weir.ports.a.allow | CN=a; ;CN=b | weir.ports.<port>.allow names nobody between two "
                        + "semicolons: write principals such as CN=billing,O=shop, or name:<node>, with ; between them",
                "weir.services.a.wait | 0s | weir.services.a.wait=0s is out of range: 1ms to 1h",
                "weir.services.a.balance | fair | weir.services.a.balance=fair is not one of round-robin, "
                        + "least-outstanding",
                "weir.services.a.password | short | weir.services.a.password: a password has at least 8 "
                        + "characters, and at most 1024 bytes: choose another one",
                "weir.services.a.pasword | long enough | weir.services.a.pasword is no setting of a service. "
                        + "Known: weir.services.a.addresses, weir.services.a.password, weir.services.a.password-file, weir.services.a.wait, weir.services.a.balance",
                "weir.max.handshakes | 0 | weir.max.handshakes=0 is out of range: 1 to 65536",
                "weir.loops | 999 | weir.loops=999 is out of range: 1 to 256"
            })
    void refusesWrongValues(String name, String value, String message) {
        assertThatThrownBy(() -> read(name, value))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message);
    }

    @Test
    void measuredIsNoPath() {
        assertThatThrownBy(() -> read("weir.transport.measured", "off"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.measured names 'measured', which is no path." + KNOWN_PATHS);
    }

    @Test
    void takesAForeignPathAndItsOptions() {
        try (ForeignJar jar = ForeignJar.withPigeons(folder)) {
            NodeSpec spec = read("weir.transport.order", "pigeon,tcp", "weir.transport.pigeon.loft-size", "12");
            assertThat(spec.paths().order()).containsExactly("pigeon", "tcp");
            assertThat(spec.transportOptions()).isEqualTo(Map.of("pigeon", Map.of("loft-size", "12")));
            assertThatThrownBy(() -> read("weir.transport.pigeon.loft", "12"))
                    .isInstanceOf(Misconfigured.class)
                    .hasMessage("weir.transport.pigeon.loft is no option of pigeon. Known: loft-size, speed");
        }
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "WEIR_NAME | till | weir.name=till",
                "weir_name | till | weir.name=till",
                "weir.name | till | weir.name=till",
                "WEIR_RUNTIME_FOLDER | /run/weir | weir.runtime-folder=/run/weir",
                "WEIR_TRANSPORT_ORDER | shm,tcp | weir.transport.order=shm,tcp",
                "WEIR_TRANSPORT_ORDER | measured, tcp | weir.transport.order=measured,tcp",
                "WEIR_TRANSPORT_SHM | off | weir.transport.shm=off",
                "WEIR_TRANSPORT_PIGEON_LOFT_SIZE | 12 | weir.transport.pigeon.loft-size=12",
                "WEIR_PEERS_BILLING_ADDRESS | db:7000 | weir.peers.billing.address=tcp://db:7000",
                "WEIR_TIMEOUT_START | 7s | weir.timeout.start=7s",
                "WEIR_PEERS_TAX_OFFICE_ADDRESS | db:7000 | weir.peers.tax-office.address=tcp://db:7000",
                "WEIR_PORTS_PRICES_TRANSPORT_ORDER | shm | weir.ports.prices.transport.order=shm",
                "WEIR_PORTS_PRICES_TRANSPORT_SHM | off | weir.ports.prices.transport.shm=off",
                "WEIR_PORTS_PRICES_ALLOW | name:till;CN=a,O=b | weir.ports.prices.allow=CN=a,O=b; name:till",
                "WEIR_SECURITY_SECRET | 0123456789abcdef | weir.security.secret=(not shown)",
                "WEIR_GATEWAY_ACCEPT | off | weir.gateway.accept=off",
                "WEIR_SERVICES_TAX_OFFICE_WAIT | 9s | weir.services.tax-office.wait=9s",
                "WEIR_SERVICES_TAX_BALANCE | least-outstanding | weir.services.tax.balance=least-outstanding",
                "WEIR_SERVICES_TAX_PASSWORD | long enough | weir.services.tax.password=(not shown)",
                "WEIR_MAX_HANDSHAKE_RATE | 5 | weir.max.handshake-rate=5",
                "WEIR_DIRECTORY | off | weir.directory=off",
                "WEIR_DIRECTORY | false | weir.directory=off",
                "WEIR_DIRECTORY_ZOOKEEPER_CONNECT | zk:2181 | weir.directory.zookeeper.connect=zk:2181",
                "WEIR_SERVICES_TAX_OFFICE_ADDRESSES | a:1,b:2 | weir.services.tax-office.addresses=tcp://a:1,tcp://b:2",
                "WEIR_WINDOW_BYTES | 1m | weir.window.bytes=1m"
            })
    void readsTheEnvironment(String variable, String value, String printed) {
        try (ForeignJar jar = ForeignJar.withPigeons(folder)) {
            assertThat(environment(variable, value)).hasToString("NodeSpec[" + printed + ']');
        }
    }

    @Test
    void aVariableMeansThePeerThatIsConfiguredAlready() {
        Properties file = properties("weir.peers.Tax_Office.eu.address", "db:7000");
        NodeSpec spec = NodeProperties.merge(
                        file, new Properties(), Map.of("WEIR_PEERS_TAX_OFFICE_EU_TRANSPORT_SHM", "required"))
                .build();
        assertThat(spec.peers())
                .isEqualTo(Map.of(
                        "Tax_Office.eu",
                        new PeerSpec(
                                new PeerAddress("db", 7000),
                                new PathPolicy(List.of(), Map.of("shm", PathSwitch.REQUIRED)))));
    }

    @Test
    void aVariableSaysWhenAPeerIsConnectedTo() {
        Properties file = properties("weir.peers.billing.address", "db:7000");
        NodeSpec spec = NodeProperties.merge(
                        file,
                        new Properties(),
                        Map.of(
                                "WEIR_PEERS_BILLING_CONNECT", "required",
                                "WEIR_PEERS_BILLING_WAIT", "2s",
                                "WEIR_PEERS_BILLING_REPATH", "once"))
                .build();
        assertThat(spec.peers())
                .isEqualTo(Map.of(
                        "billing",
                        new PeerSpec(
                                new PeerAddress("db", 7000),
                                new PathPolicy(List.of(), Map.of(), Repath.ONCE),
                                PeerSpec.Connect.REQUIRED,
                                Duration.ofSeconds(2))));
    }

    @Test
    void refusesAVariableThatMayMeanEitherOfTwoPeers() {
        Properties file = properties("weir.peers.tax-office.address", "db:1", "weir.peers.tax.office.address", "db:2");
        assertThatThrownBy(() ->
                        NodeProperties.merge(file, new Properties(), Map.of("WEIR_PEERS_TAX_OFFICE_ADDRESS", "db:3")))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("WEIR_PEERS_TAX_OFFICE_ADDRESS may mean each of tax-office, tax.office;"
                        + " rename one of them, or set the property instead");
    }

    @Test
    void anEmptyVariableIsNotSet() {
        assertThat(environment("WEIR_TRANSPORT_ORDER", "", "WEIR_NOT_A_SETTING", ""))
                .isEqualTo(read());
    }

    @ParameterizedTest(name = "{0}={1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "WEIR_TRANSPORT_ORDER | myrinet | WEIR_TRANSPORT_ORDER names 'myrinet', which is no path; did "
                        + "you mean gm? Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp",
                "WEIR_TRANSPORT_MYRINET | off | WEIR_TRANSPORT_MYRINET names 'myrinet', which is no path; did "
                        + "you mean gm? Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp",
                "WEIR_TRANSPORT_ODER | shm | WEIR_TRANSPORT_ODER is no setting; did you mean the order of the "
                        + "paths, WEIR_TRANSPORT_ORDER?",
                "WEIR_LOOPS | many | WEIR_LOOPS=many is not a whole number, such as 1024",
                "WEIR_TRANSPORT_GM_PORT | 2 | WEIR_TRANSPORT_GM_PORT can't be used: no adapter for gm is on the "
                        + "class path; add its jar or remove the setting"
            })
    void refusalsNameTheVariable(String variable, String value, String message) {
        assertThatThrownBy(() -> environment(variable, value))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(message);
    }

    @Test
    void refusesAnUnknownVariableWithTheNearestOne() {
        assertThatThrownBy(() -> environment("WEIR_WINDOW_ITEM", "5"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("WEIR_WINDOW_ITEM is no setting of Weir; did you mean WEIR_WINDOW_ITEMS?" + KNOWN);
    }

    @Test
    void refusesTwoVariablesForOneSetting() {
        assertThatThrownBy(() -> environment("WEIR_LOOPS", "2", "weir.loops", "3"))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("both set weir.loops; remove one of them")
                .hasMessageContaining("WEIR_LOOPS");
    }

    @Test
    void passesOverWhatKubernetesSaysOfServicesOfThatName() {
        assertThat(environment(
                        "WEIR_SERVICE_HOST", "10.0.0.1",
                        "WEIR_SERVICE_PORT", "7000",
                        "WEIR_SERVICE_PORT_BOOT", "7000",
                        "WEIR_PORT", "tcp://10.0.0.1:7000",
                        "WEIR_PORT_7000_TCP", "tcp://10.0.0.1:7000",
                        "WEIR_PORT_7000_TCP_ADDR", "10.0.0.1",
                        "WEIR_BILLING_SERVICE_HOST", "10.0.0.2",
                        "WEIR_BILLING_PORT_7000_TCP_PORT", "7000",
                        "WEIR_LOOPS", "2"))
                .isEqualTo(read("weir.loops", "2"));
        assertThatThrownBy(() -> environment("WEIR_PORT", "tcp://10.0.0.1:7000"))
                .isInstanceOf(Misconfigured.class);
    }

    @Test
    void aSecretIsReadFromAFileThatIsPrivate() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "0123456789abcdef\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        NodeSpec spec = read("weir.security.secret-file", file.toString());
        assertThat(spec.security().secret()).isEqualTo(Secret.of("0123456789abcdef"));
        assertThat(spec).hasToString("NodeSpec[weir.security.secret-file=" + file + ']');

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> read("weir.security.secret-file", file.toString()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.security.secret-file: the file of the secret, " + file
                        + ", can be read or changed by other users: run chmod 600 " + file);
    }

    @Test
    void refusesAFileThatHoldsNoSecret() throws IOException {
        Path file = Files.writeString(folder.resolve("log"), "x".repeat(100_000));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> read("weir.security.secret-file", file.toString()))
                .isInstanceOf(Misconfigured.class)
                .hasMessageStartingWith("weir.security.secret-file: a secret has 16 to 1024 bytes");
        assertThatThrownBy(() ->
                        read("weir.security.secret-file", folder.resolve("none").toString()))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("can't be read")
                .hasMessageContaining("none");
    }

    @Test
    void refusesTwoSecretsAtOnce() {
        assertThatThrownBy(() -> read("weir.security.secret", "0123456789abcdef", "weir.security.secret-file", "/s"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.security.secret and weir.security.secret-file are both set; remove one of them");
        assertThatThrownBy(() ->
                        environment("WEIR_SECURITY_SECRET", "0123456789abcdef", "WEIR_SECURITY_SECRET_FILE", "/s"))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("both set");
    }

    @Test
    void aPasswordIsReadFromAFileThatIsPrivate() throws IOException {
        Path file = Files.writeString(folder.resolve("password"), "correct horse\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        NodeSpec spec = environment("WEIR_SERVICES_PRICES_PASSWORD_FILE", file.toString());
        assertThat(spec.service("prices").password()).isEqualTo(Password.of("correct horse"));
        assertThat(spec).hasToString("NodeSpec[weir.services.prices.password-file=" + file + ']');

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> read("weir.services.prices.password-file", file.toString()))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.services.prices.password-file: the file of the password, " + file
                        + ", can be read or changed by other users: run chmod 600 " + file);
        assertThatThrownBy(() -> read("weir.services.a.password", "long enough", "weir.services.a.password-file", "/p"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage(
                        "weir.services.a.password and weir.services.a.password-file are both set; remove one of them");
    }

    @Test
    void noRefusalTellsAPassword() {
        assertThatThrownBy(() -> read("weir.services.a.password", "hunter2")).hasMessageNotContaining("hunter2");
        NodeSpec spec = read("weir.services.a.password", "hunter2-hunter2");
        assertThat(spec.toString() + spec.services() + spec.service("a").password())
                .doesNotContain("hunter2");
    }

    /** Whatever is wrong with it, and wherever it stands. */
    @Test
    void noRefusalTellsASecret() {
        String secret = "hunter2-hunter2-";
        assertThatThrownBy(() -> read("weir.security.secret", secret.substring(0, 9)))
                .hasMessageNotContaining("hunter2");
        assertThatThrownBy(() -> read("weir.security.secret", secret, "weir.loops", "0"))
                .hasMessageNotContaining("hunter2");
        assertThat(new Setting("weir.security.secret", secret).toString()).doesNotContain("hunter2");
        assertThat(read("weir.security.secret", secret, "weir.security.former-secret", secret + secret))
                .hasToString("NodeSpec[weir.security.secret=(not shown), weir.security.former-secret=(not shown)]");
        assertThat(read("weir.security.secret", secret).security().toString()).doesNotContain("hunter2");
    }
}
