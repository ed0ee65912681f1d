package io.weir.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.test.Networks.Bridge;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Port;
import io.weir.test.Networks.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class NetworksTest {

    private static final int ETHERNET_HEADER = 14;

    @TempDir
    Path folder;

    private Networks networks;
    private Frames frames;

    @BeforeEach
    void make() throws InterruptedException {
        Wanted.compiler();
        networks = Wanted.networks();
        frames = Frames.in(folder);
    }

    @AfterEach
    void close() {
        if (frames != null) {
            frames.close();
        }
        if (networks != null) {
            networks.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1500, 9000, 65_000})
    void frameOfTheMtuGoesThroughAndNoLongerOne(int mtu) throws IOException {
        Wire wire = networks.wire(networks.host("a"), networks.host("b"), mtu);
        Frames.Receiver receiver = frames.receiver(wire.second());

        assertThat(frames.send(wire.first(), Frames.P4SOCK, 10, mtu + ETHERNET_HEADER, 0))
                .isEqualTo("SENT");
        // With room for a tag.
        assertThat(frames.send(wire.first(), Frames.P4SOCK, 1, mtu + ETHERNET_HEADER + 5, 0))
                .contains("Message too long");

        assertThat(receiver.result(10).frames()).isEqualTo(10);
        assertThat(receiver.result().damaged()).isZero();
    }

    @Test
    void mtuCanChange() {
        Wire wire = networks.wire(networks.host("a"), networks.host("b"), 9000);

        wire.mtu(1500);

        assertThat(frames.send(wire.first(), Frames.P4SOCK, 1, 9000, 0)).contains("Message too long");
        assertThat(frames.send(wire.second(), Frames.P4SOCK, 1, 1514, 0)).isEqualTo("SENT");
    }

    @Test
    void wireCanBePulledAndPluggedIn() throws IOException {
        Wire wire = networks.wire(networks.host("a"), networks.host("b"));
        Frames.Receiver receiver = frames.receiver(wire.second());

        wire.first().down();
        assertThat(frames.send(wire.first(), Frames.P4SOCK, 1, 100, 0)).contains("Network is down");
        wire.first().up();
        assertThat(frames.send(wire.first(), Frames.P4SOCK, 1, 100, 0)).isEqualTo("SENT");

        assertThat(receiver.result(1).frames()).isEqualTo(1);
        wire.second().delete();
        assertThatThrownBy(wire.first()::up)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("weir0");
    }

    @Test
    void bridgeJoinsThreeHosts() throws IOException {
        Bridge bridge = networks.bridge();
        Port a = bridge.join(networks.host("a"), 9000);
        Port b = bridge.join(networks.host("b"), 9000);
        Port c = bridge.join(networks.host("c"), 9000);
        assertThat(List.of(a.mac(), b.mac(), c.mac())).doesNotHaveDuplicates();
        Frames.Receiver atB = frames.receiver(b);
        Frames.Receiver atC = frames.receiver(c);

        assertThat(frames.send(a, Frames.P4SOCK, 5, 9000, 0)).isEqualTo("SENT");

        assertThat(atB.result(5).frames()).isEqualTo(5);
        assertThat(atC.result(5).frames()).isEqualTo(5);
    }

    @Test
    void hostRoutes() {
        Host near = networks.host("near");
        Host middle = networks.host("middle");
        Host far = networks.host("far");
        Wire first = networks.wire(near, middle);
        Wire second = networks.wire(middle, far);
        first.first().address("198.18.71.1/24");
        first.second().address("198.18.71.2/24");
        second.first().address("198.18.72.1/24");
        second.second().address("198.18.72.2/24");
        near.route("198.18.71.2");
        far.route("198.18.72.1");

        middle.forward();

        assertThat(Wanted.said(near.command(FarEnd.command("reach", "198.18.72.2"))))
                .isEqualTo("reached\n");
    }

    /** {@code java.net.NetworkInterface} finds an interface only once it has an address. */
    private static String interfacesHere() throws IOException {
        return Files.readString(Path.of("/proc/self/net/dev"));
    }

    @Test
    void nothingIsLeft() throws IOException {
        Wire wire = networks.wire(networks.here(), networks.host("far"));
        String far = wire.second().host().toString();
        assertThat(Wanted.namespaces()).contains(far);
        assertThat(interfacesHere()).contains(wire.first().name());

        networks.close();

        assertThat(Wanted.namespaces()).doesNotContain(far);
        assertThat(interfacesHere()).doesNotContain(wire.first().name());
    }

    @Test
    void nothingIsLeftOfAProcessThatIsEndedBySignal() throws IOException, InterruptedException {
        Process child = new ProcessBuilder(FarEnd.command("networks")).start();
        String made = child.inputReader(StandardCharsets.UTF_8).readLine();
        assertThat(Wanted.namespaces()).contains(made);

        child.destroy();

        assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(Wanted.namespaces()).doesNotContain(made);
    }

    @Test
    void whoCanHaveNoneIsToldWhy() throws IOException {
        ProcessBuilder child = new ProcessBuilder(FarEnd.command("networks"));
        child.environment().put("PATH", folder.toString());

        String said = child.start().inputReader(StandardCharsets.UTF_8).readLine();

        assertThat(said)
                .startsWith("Only root on Linux, with ip of iproute2, can make networks: ")
                .contains("\"ip\"");
    }
}
