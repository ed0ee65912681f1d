package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Repath;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.fabric.guest.Fabric.End;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;

/** An interface that changes under load, while the bootstrap connection goes another way. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class InterfaceOnWire {

    @TempDir
    Path folder;

    private final AtomicLong next = new AtomicLong();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private @Nullable String mtu;

    @AfterEach
    void asItWas() throws IOException, InterruptedException {
        for (String end : ends()) {
            Program.run("ip", "link", "set", end, "up");
            if (mtu != null) {
                Program.run("ip", "link", "set", end, "mtu", mtu);
            }
        }
        for (String end : ends()) {
            // The kernel says so in its own time.
            Path state = Path.of("/sys/class/net", end, "operstate");
            Patience.until(() -> end + " is up", () -> Files.readString(state).contains("up"));
        }
    }

    /** The two interfaces that are not the loopback. */
    private static String[] ends() throws IOException, InterruptedException {
        return Program.run("ip", "-o", "link", "show", "type", "veth")
                .lines()
                .map(line -> line.split(": |@")[1])
                .toArray(String[]::new);
    }

    private Disposable pour(Peer peer) {
        return Nodes.got(peer.channel(Bodies.POUR))
                .receive()
                .subscribe(
                        body -> Bodies.check(body, next.getAndIncrement(), Bodies.LONG),
                        ended::completeExceptionally,
                        () -> ended.complete(null));
    }

    private void goesOn() throws IOException, InterruptedException {
        long before = next.get();
        Patience.until(
                () -> "more than " + before + ", but " + ended, () -> ended.isDone() || next.get() > before + 20);
        assertThat(ended).isNotDone();
    }

    private Peer connect(Nodes nodes, Repath repath) {
        Node far =
                nodes.start(Fabric.P4SOCK.spec(End.FAR).order("p4sock", "tcp").repath(repath));
        return Nodes.connect(
                nodes.start(Fabric.P4SOCK.spec(End.NEAR).order("p4sock", "tcp").repath(repath)), far);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aStreamLeavesAnInterfaceThatGoesDown(int end) throws IOException, InterruptedException {
        try (Nodes nodes = new Nodes(Fabric.P4SOCK, folder)) {
            Peer peer = connect(nodes, Repath.ALWAYS);
            assertThat(Nodes.path(peer)).isEqualTo("p4sock");
            assertThat(peer.path().warnings())
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("p4sock: its frames have at most 1500 bytes");
            Disposable stream = pour(peer);
            goesOn();
            Program.run("ip", "link", "set", ends()[end], "down");
            Patience.until(
                    () -> "over tcp: " + peer.path() + ", " + ended,
                    () -> ended.isDone() || Nodes.path(peer).equals("tcp"));
            assertThat(peer.path().caveat()).isEmpty();
            goesOn();
            stream.dispose();
        }
    }

    @Test
    void aSessionThatMayNotMoveEndsWithItsInterface() throws IOException, InterruptedException {
        try (Nodes nodes = new Nodes(Fabric.P4SOCK, folder)) {
            Peer peer = connect(nodes, Repath.OFF);
            Disposable stream = pour(peer);
            goesOn();
            Program.run("ip", "link", "set", ends()[0], "down");
            Patience.until(() -> "an end of " + peer.path(), ended::isDone);
            assertThat(stream.isDisposed()).isTrue();
            assertThatThrownBy(ended::join)
                    .rootCause()
                    .isInstanceOfAny(SessionLost.class, WeirException.class)
                    .message()
                    .containsAnyOf("is down", "did not answer", "closed");
        }
    }

    @Test
    void aStreamLeavesAnInterfaceWhoseFramesBecomeShorter() throws IOException, InterruptedException {
        try (Nodes nodes = new Nodes(Fabric.P4SOCK, folder)) {
            Peer peer = connect(nodes, Repath.ALWAYS);
            Disposable stream = pour(peer);
            goesOn();
            mtu = Program.run("cat", "/sys/class/net/" + ends()[0] + "/mtu").strip();
            for (String end : ends()) {
                Program.run("ip", "link", "set", end, "mtu", "600");
            }
            Patience.until(
                    () -> "another path or link: " + peer.path() + ", " + ended,
                    () -> ended.isDone() || peer.pathHistory().size() > 1);
            goesOn();
            stream.dispose();
        }
    }

    @Test
    void whyItCanNotBeUsedIsSaid() throws IOException, InterruptedException {
        for (String end : ends()) {
            Program.run("ip", "link", "set", end, "down");
        }
        try (Nodes nodes = new Nodes(Fabric.P4SOCK, folder)) {
            Peer peer = connect(nodes, Repath.ALWAYS);
            assertThat(Nodes.path(peer)).isEqualTo("tcp");
            assertThat(Nodes.reason(peer, "p4sock")).contains("is down").contains(ends()[0]);
        }
    }
}
