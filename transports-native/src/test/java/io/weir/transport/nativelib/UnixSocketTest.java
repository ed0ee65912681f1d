package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.TransportSettings;
import io.weir.transport.loop.OnLoop;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What would wait here would do so for an hour. */
@Timeout(60)
class UnixSocketTest {

    @TempDir
    Path folder;

    private final List<Lingering> passed = new ArrayList<>();
    private UnixSocket near;
    private UnixSocket far;

    @BeforeAll
    static void isThere() {
        assertThat(Posix.missing(new TransportSettings(Path.of("unused"), true, Map.of())))
                .isNull();
    }

    @BeforeEach
    void connect() throws NativeFailure {
        String path = folder.resolve("socket").toString();
        UnixSocket listener = UnixSocket.listen(path);
        assertThat(listener.accept()).isNull();
        near = UnixSocket.connect(path);
        far = listener.accept();
        assertThat(far).isNotNull();
        listener.close();
    }

    @AfterEach
    void nothingIsLeft() {
        near.close();
        far.close();
        passed.forEach(Lingering::close);
        OnLoop.until(() -> Descriptor.open() == 0);
    }

    private Lingering lingering() {
        Lingering made = new Lingering();
        passed.add(made);
        return made;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void bytesAreReadInPieces() throws NativeFailure {
        assertThat(far.read(10)).isEqualTo(UnixSocket.NOTHING);
        assertThat(near.peerUid()).isEqualTo(Posix.uid());
        near.send(text("abcd"));
        assertThat(far.look()).isEqualTo(4);
        byte[] read = new byte[4];
        assertThat(far.read(3)).isEqualTo(3);
        UnixSocket.bytes(read, 0, 3);
        assertThat(far.read(3)).isEqualTo(1);
        UnixSocket.bytes(read, 3, 1);
        assertThat(read).isEqualTo(text("abcd"));
        assertThat(near.ring()).isTrue();
        assertThat(far.read(10)).isEqualTo(1);
        near.close();
        while (far.read(10) != UnixSocket.END) {
            Thread.onSpinWait();
        }
        assertThat(near.number()).isPositive();
    }

    @Test
    void whatComesWithDescriptorsIsNotRead() throws NativeFailure {
        near.send(text("ab"));
        Lingering lingering = lingering();
        assertThat(lingering.passTo(near.number(), false)).isTrue();
        lingering.letGo();
        near.send(text("cd"));
        assertThat(far.look()).isEqualTo(UnixSocket.DESCRIPTORS);
        assertThat(far.read(10)).isEqualTo(UnixSocket.DESCRIPTORS);
        assertThat(far.read(10)).isEqualTo(UnixSocket.DESCRIPTORS);
    }

    /** The system drops what is urgent when something else is read, unless it is told not to. */
    @Test
    void whatIsUrgentIsLookedAtAsWell() throws NativeFailure {
        Lingering lingering = lingering();
        assertThat(lingering.passTo(near.number(), true)).isTrue();
        lingering.letGo();
        near.send(text("cd"));
        assertThat(far.read(10)).isEqualTo(UnixSocket.DESCRIPTORS);
    }

    @Test
    void theOneThatIsExpectedIsReceivedAndNoOtherOneFollows() throws NativeFailure {
        Descriptor file = Posix.memoryFile("weir-passed", 4096);
        near.pass(file);
        file.close();
        assertThat(near.ring()).isTrue();
        assertThat(far.look()).isEqualTo(UnixSocket.DESCRIPTORS);
        try (Descriptor received = far.receiveDescriptor()) {
            assertThat(received).isNotNull();
            assertThat(Posix.length(received)).isEqualTo(4096);
        }
        Lingering lingering = lingering();
        if (lingering.passTo(near.number(), false)) {
            // A system before Linux 6.16.
            lingering.letGo();
            assertThat(far.read(10)).isEqualTo(UnixSocket.DESCRIPTORS);
        } else {
            assertThat(near.ring()).isTrue();
            assertThat(far.read(10)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void moreThanOneAreRefused(boolean atOnce) throws NativeFailure {
        Lingering lingering = lingering();
        Descriptor file = Posix.memoryFile("weir-passed", 4096);
        if (atOnce) {
            assertThat(lingering.passTo(near.number(), false, file)).isTrue();
        } else {
            near.pass(file);
            assertThat(lingering.passTo(near.number(), false)).isTrue();
        }
        assertThat(far.receiveDescriptor()).isNull();
        assertThat(OpenFiles.all())
                .filteredOn(each -> each.contains("weir-passed"))
                .hasSize(1);
        file.close();
        if (!atOnce) {
            // It lies unread in the socket: who closes that does so where it may take long. The other way, the system
            // has dropped it.
            lingering.letGo();
        }
    }

    @Test
    void bytesInItsPlaceAreRefused() throws NativeFailure {
        near.send(text("a"));
        assertThat(far.receiveDescriptor()).isNull();
    }

    @Test
    void anAddressWithoutAListenerIsAnError() {
        assertThatThrownBy(() -> UnixSocket.connect(folder.resolve("nobody").toString()))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("connect");
    }
}
