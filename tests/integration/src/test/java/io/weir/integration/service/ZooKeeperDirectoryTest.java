package io.weir.integration.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.AuthenticationFailed;
import io.weir.core.PeerUnavailable;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.Patience;
import io.weir.integration.Relay;
import io.weir.service.directory.Member;
import io.weir.service.directory.ServiceDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory in ZooKeeper, with a real server that is killed, started again, parted from its clients, and full of
 * garbage.
 */
@Tag("one-jdk")
class ZooKeeperDirectoryTest implements DirectoryContract {

    private static final AtomicInteger ROOTS = new AtomicInteger();

    @TempDir
    private static Path data;

    private static Keeper keeper;

    @TempDir
    private Path temporary;

    private String root = "/none";

    @BeforeAll
    static void begin() {
        keeper = new Keeper(data);
    }

    @AfterAll
    static void end() {
        keeper.close();
    }

    @BeforeEach
    void ownRoot() {
        root = "/weir-test/" + ROOTS.incrementAndGet();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of(
                "weir.directory", "zookeeper",
                "weir.directory.zookeeper.connect", text(keeper.address().port()),
                "weir.directory.zookeeper.root", root,
                "weir.directory.zookeeper.session", "4s",
                "weir.directory.zookeeper.timeout", "20s");
    }

    private static String text(int port) {
        return "127.0.0.1:" + port;
    }

    private NodeSpec spec(String name, String... more) {
        Map<String, String> settings = new HashMap<>();
        for (int at = 0; at < more.length; at += 2) {
            settings.put("weir.directory.zookeeper." + more[at], more[at + 1]);
        }
        return spec(name).toBuilder().properties(settings).build();
    }

    @Test
    void whoIsPartedKeepsItsViewAndComesBack(Nodes nodes) throws IOException {
        try (Relay relay = new Relay(keeper.address())) {
            Node near = nodes.start(spec("near", "connect", text(relay.address().port())));
            ServiceDirectory ofNear = open(near);
            Node far = nodes.start(spec("far"));
            ServiceDirectory ofFar = open(far);
            ofNear.announce(Announcer.tax(near)).then().block(Patience.LIMIT);
            try (DirectoryEvents seen = new DirectoryEvents(ofFar);
                    DirectoryEvents own = new DirectoryEvents(ofNear)) {
                own.await("far", "JOINED far{}");
                seen.awaitTax(1);
                relay.refuse();
                relay.part(true);
                seen.await("near", "JOINED near{}", "FAILED near{}");
                seen.awaitTax(0);
                assertThat(ofNear.snapshot()).extracting(Member::id).containsExactlyInAnyOrder(near.id(), far.id());
                assertThat(own.tax()).hasSize(1);
                ofFar.attributes(Map.of("meanwhile", "so")).block(Patience.LIMIT);
                relay.listen();
                seen.await("near", "JOINED near{}", "FAILED near{}", "JOINED near{}");
                own.await("far", "JOINED far{}", "CHANGED far{meanwhile=so}");
                seen.awaitTax(1);
                assertThat(own.of("near")).containsExactly("JOINED near{}");
            }
            ofNear.close().block(Patience.LIMIT);
            ofFar.close().block(Patience.LIMIT);
        }
    }

    @Test
    void aServerThatStartsAnewLosesNobody(Nodes nodes) {
        try (Keeper own = new Keeper(temporary)) {
            String connect = text(own.address().port());
            ServiceDirectory ofNear = open(nodes.start(spec("near", "connect", connect)));
            ServiceDirectory ofFar = open(nodes.start(spec("far", "connect", connect)));
            try (DirectoryEvents seen = new DirectoryEvents(ofNear)) {
                seen.await("far", "JOINED far{}");
                own.startAnew();
                ofFar.attributes(Map.of("still", "here")).block(Patience.LIMIT);
                Patience.until(
                        () -> "the news of the far one: " + seen.of("far"),
                        () -> seen.last("far").endsWith("far{still=here}"));
            }
            ofNear.close().block(Patience.LIMIT);
            ofFar.close().block(Patience.LIMIT);
        }
    }

    @Test
    void aServerThatIsNotThereIsTold(Nodes nodes) throws IOException {
        try (Relay relay = new Relay(keeper.address())) {
            relay.refuse();
            Node near = nodes.start(spec("near", "connect", text(relay.address().port()), "timeout", "200ms"));
            assertThatThrownBy(() -> open(near))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessage("no ZooKeeper server has answered at "
                            + text(relay.address().port())
                            + " within weir.directory.zookeeper.timeout (200 ms): start it, or correct"
                            + " weir.directory.zookeeper.connect");
        }
    }

    @Test
    void whoCanNotBeToldDoesNotHoldUpTheEnd(Nodes nodes) throws IOException {
        try (Relay relay = new Relay(keeper.address())) {
            Node near = nodes.start(spec("near", "connect", text(relay.address().port()), "timeout", "1s"));
            ServiceDirectory directory = open(near);
            relay.refuse();
            relay.part(true);
            assertThatThrownBy(() -> directory.attributes(Map.of("a", "b")).block(Patience.LIMIT))
                    .isInstanceOf(PeerUnavailable.class)
                    .hasMessageContaining(text(relay.address().port()));
            assertThat(directory.snapshot()).extracting(Member::attributes).containsExactly(Map.of());
            directory.close().block(Patience.LIMIT);
        }
    }

    @Test
    void onlyWhoKnowsThePasswordGetsIn(Nodes nodes) throws IOException {
        Path right = secret("right", "a password of more than 16 letters");
        Path wrong = secret("wrong", "another one of more than 16 letters");
        Node near = nodes.start(spec("near", "user", "weir", "password-file", right.toString()));
        assertThat(near.spec().toString()).doesNotContain("a password").contains("password-file=" + right);
        ServiceDirectory ofNear = open(near);
        Node liar = nodes.start(spec("liar", "user", "weir", "password-file", wrong.toString()));
        Node stranger = nodes.start(spec("stranger"));
        for (Node refused : List.of(liar, stranger)) {
            assertThatThrownBy(() -> open(refused))
                    .isInstanceOf(AuthenticationFailed.class)
                    .hasMessageContaining("into " + root + ": set weir.directory.zookeeper.user and .password-file")
                    .hasMessageNotContaining("another one");
        }
        ServiceDirectory ofFar = open(nodes.start(spec("far", "user", "weir", "password-file", right.toString())));
        assertThat(ofFar.snapshot()).hasSize(2);
        ofFar.close().block(Patience.LIMIT);
        ofNear.close().block(Patience.LIMIT);
    }

    private Path secret(String name, String text) throws IOException {
        Path file = Files.writeString(temporary.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void whateverElseStandsThereIsPassedOver(Nodes nodes) throws Exception {
        try (LogLines log = LogLines.everything();
                CuratorFramework other =
                        CuratorFrameworkFactory.newClient(text(keeper.address().port()), new RetryOneTime(100))) {
            other.start();
            put(other, "garbage", "garbage");
            put(other, "huge", "x".repeat(100_000));
            put(
                    other,
                    "00000000-0000-0000-0000-000000000001.1",
                    "weir-directory 1\nnode 00000000-0000-0000-0000-000000000002 liar 1 host 0\nend\n");
            Node near = nodes.start(spec("near"));
            ServiceDirectory directory = open(near);
            ServiceDirectory far = open(nodes.start(spec("far")));
            assertThat(far.snapshot()).hasSize(2);
            assertThat(directory.snapshot())
                    .extracting(Member::id)
                    .noneMatch(id -> id.name().equals("liar"));
            log.await(Level.WARN, "is passed over", root + "/nodes/garbage", "it does not begin with weir-directory 1");
            log.await(Level.WARN, "is passed over", "/nodes/huge", "it has more than 16384 bytes");
            log.await(Level.WARN, "is passed over", "whose entry has another name");
            // Removed behind our back, it is announced anew.
            String entry = entry(other, near);
            var unused = other.delete().forPath(entry);
            Patience.until("it is there again", () -> isThere(other, entry));
            directory.close().block(Patience.LIMIT);
            far.close().block(Patience.LIMIT);
        }
    }

    /** An entry that says where to connect to, for everybody else to try, and goodbyes for everybody else to sweep. */
    @Test
    void whoeverFillsItHoldsNobodyUp(Nodes nodes) throws Exception {
        try (LogLines log = LogLines.everything();
                CuratorFramework other =
                        CuratorFrameworkFactory.newClient(text(keeper.address().port()), new RetryOneTime(100))) {
            other.start();
            String huge = "x".repeat(900_000);
            for (int i = 0; i < 8; i++) {
                put(other, "huge-" + i, huge);
            }
            put(
                    other,
                    "00000000-0000-0000-0000-000000000001.1.0",
                    "weir-directory 1\nnode 00000000-0000-0000-0000-000000000001 scanner 1 host 0\n"
                            + "address 127.0.0.1%3A1\n".repeat(500) + "end\n");
            for (int i = 0; i < 500; i++) {
                var unused = other.create().creatingParentsIfNeeded().forPath(root + "/left/" + i);
            }
            ServiceDirectory near = open(nodes.start(spec("near")));
            ServiceDirectory far = open(nodes.start(spec("far")));
            assertThat(far.snapshot()).extracting(each -> each.id().name()).containsExactlyInAnyOrder("near", "far");
            log.await(Level.WARN, "is passed over", "00000000-0000-0000-0000-000000000001.1.0", "makes no sense");
            log.await(Level.WARN, "Whoever reaches ZooKeeper", "set weir.directory.zookeeper.user");
            near.close().block(Patience.LIMIT);
            far.close().block(Patience.LIMIT);
        }
    }

    /** What it has said of somebody goes with its entry, and it leaves room for those that are there. */
    @Test
    void whoeverClaimsToBeSomebodyElseOrFillsItLater(Nodes nodes) throws Exception {
        try (LogLines log = LogLines.everything();
                CuratorFramework other =
                        CuratorFrameworkFactory.newClient(text(keeper.address().port()), new RetryOneTime(100))) {
            other.start();
            ServiceDirectory near = open(nodes.start(spec("near")));
            Node node = nodes.start(spec("far"));
            ServiceDirectory far = open(node);
            Patience.until("both are there", () -> near.snapshot().size() == 2);
            Member before = member(near, node);

            String id =
                    node.id().id() + " " + node.id().name() + " " + node.id().incarnation();
            String claim = node.id().id() + "." + node.id().incarnation() + ".999";
            put(other, claim, "weir-directory 1\nnode " + id + " elsewhere 0\nend\n");
            Patience.until("it is believed", () -> member(near, node).host().equals("elsewhere"));
            var unused = other.delete().forPath(root + "/nodes/" + claim);
            Patience.until("and no longer", () -> member(near, node).equals(before));

            String lines = "attribute a b\n".repeat(1_100);
            for (int i = 0; i < 200; i++) {
                UUID stranger = UUID.randomUUID();
                put(other, stranger + ".1.0", "weir-directory 1\nnode " + stranger + " x 1 host 0\n" + lines + "end\n");
            }
            log.await(Level.WARN, "is passed over", root + "/nodes/", "bytes of memory", "are the most");
            far.attributes(Map.of("still", "here")).block(Patience.LIMIT);
            Patience.until(
                    "who was there is still heard",
                    () -> member(near, node).attributes().containsKey("still"));
            assertThat(near.snapshot()).hasSizeLessThan(100);
            near.close().block(Patience.LIMIT);
            far.close().block(Patience.LIMIT);
        }
    }

    private static Member member(ServiceDirectory directory, Node node) {
        return directory.snapshot().stream()
                .filter(each -> each.id().equals(node.id()))
                .findFirst()
                .orElseThrow();
    }

    private String entry(CuratorFramework other, Node node) throws Exception {
        return other.getChildren().forPath(root + "/nodes").stream()
                .filter(name -> name.startsWith(node.id().id().toString()))
                .map(name -> root + "/nodes/" + name)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isThere(CuratorFramework other, String path) {
        try {
            return other.checkExists().forPath(path) != null;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void put(CuratorFramework other, String name, String text) throws Exception {
        var unused = other.create().creatingParentsIfNeeded().forPath(root + "/nodes/" + name, text.getBytes(UTF_8));
    }
}
