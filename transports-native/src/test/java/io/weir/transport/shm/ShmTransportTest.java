package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.RuntimeFolder;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Posix;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(NothingLeft.class)
class ShmTransportTest {

    private final Transport transport = new ShmTransport();

    private static TransportSettings settings(boolean nativeAllowed, Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), nativeAllowed, options);
    }

    private static PeerCard card(String boot, long uid) {
        return new PeerCard(
                new PeerId(UUID.randomUUID(), "peer", 1), boot, uid, "p", "far-away", 7, Map.of(), Map.of());
    }

    @Test
    void isFoundByItsName() {
        assertThat(ServiceLoader.load(Transport.class))
                .anyMatch(found -> found.name().equals("shm"));
    }

    @Test
    void isReadyHere() {
        assertThat(transport.availability(settings(true, Map.of()))).isEqualTo(new Availability.Ready());
    }

    @Test
    void isMissingWithASentenceWhereNativeCodeIsSwitchedOff() {
        assertThat(transport.availability(settings(false, Map.of())))
                .isEqualTo(new Availability.Missing("native code is switched off (weir.native=off)"));
    }

    @ParameterizedTest
    @CsvSource({
        "ring-size, 100000, power of two",
        "ring-size, 32k, out of range",
        "ring-size, huge, not a size",
        "pool-size, 65537, multiple of 16384",
        "pool-size, 2g, out of range",
        "copy-in, maybe, not a switch"
    })
    void badOptionsAreNamed(String option, String value, String text) {
        assertThat(transport.options()).contains(option);
        assertThatThrownBy(() -> transport.availability(settings(true, Map.of(option, value))))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(option + "=" + value)
                .hasMessageContaining(text);
    }

    @Test
    void reachesProcessesOfOurUserOnOurHost() {
        assertThat(transport.reaches(card("b", 5), card("b", 5))).isNull();
        assertThat(transport.reaches(card("b", 5), card("c", 5))).contains("another host", "far-away");
        assertThat(transport.reaches(card("b", 5), card("b", 6))).contains("another user", "uid 6", "5");
        assertThat(transport.reaches(card("", 5), card("", 5))).contains("unknown");
        assertThat(transport.reaches(card("b", -1), card("b", -1))).contains("another user");
    }

    @Test
    void aFolderThatIsNoneIsMissingWithTheRemedy(@TempDir Path temporary) throws IOException {
        Path file = Files.createFile(temporary.resolve("weir"));
        assertThat(transport.availability(new TransportSettings(file, true, Map.of())))
                .isInstanceOfSatisfying(
                        Availability.Missing.class,
                        missing -> assertThat(missing.reason())
                                .isEqualTo("the run-time folder " + file
                                        + " is not a folder; remove it or name another one,"
                                        + " weir.runtime-folder (it belongs to uid " + Posix.uid() + ")"));
    }

    @Test
    void whatDeadProcessesHaveLeftIsRemovedAndNothingElse(@TempDir Path temporary) throws IOException {
        Path folder = RuntimeFolder.open(temporary.resolve("weir"));
        Path stale = left(folder.resolve("shm-" + "0".repeat(32) + ".sock"));
        Path young = left(folder.resolve("shm-" + "1".repeat(32) + ".sock"));
        Path other = left(folder.resolve("node.sock"));
        Path live = folder.resolve("shm-" + "2".repeat(32) + ".sock");
        FileTime before = FileTime.from(Instant.now().minusSeconds(61));
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(listening.bind(UnixDomainSocketAddress.of(live))).isSameAs(listening);
            for (Path old : new Path[] {stale, other, live}) {
                assertThat(Files.setLastModifiedTime(old, before)).isEqualTo(old);
            }
            assertThat(transport.availability(new TransportSettings(folder, true, Map.of())))
                    .isInstanceOf(Availability.Ready.class);
            assertThat(stale).doesNotExist();
            assertThat(young).exists();
            assertThat(other).exists();
            assertThat(live).exists();
        }
    }

    /** A socket's name, as a process leaves it that is killed. */
    private static Path left(Path socket) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(listening.bind(UnixDomainSocketAddress.of(socket))).isSameAs(listening);
        }
        return socket;
    }
}
