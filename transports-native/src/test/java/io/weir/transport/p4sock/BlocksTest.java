package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlocksTest {

    /** Of no interface that there is. */
    private static final EtherInterface INTERFACE =
            new EtherInterface("test", Integer.MAX_VALUE, new Mac(0), 1500, List.of());

    @BeforeAll
    static void isThere() {
        assertThat(Posix.missing(new TransportSettings(Path.of("unused"), true, Map.of())))
                .isNull();
    }

    private static ByteBuffer address(Blocks.Held held) {
        byte[] name = ("weir-p4sock-" + INTERFACE.index() + '-' + held.number()).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(Short.BYTES + 1 + name.length)
                .order(ByteOrder.nativeOrder())
                .putShort(0, (short) LibC.AF_UNIX)
                .put(Short.BYTES + 1, name);
    }

    @Test
    void nobodyTakesABlockThatIsHeld() throws NativeFailure {
        try (Blocks.Held held = Blocks.take(INTERFACE);
                Descriptor other = Posix.socket(LibC.AF_UNIX, LibC.SOCK_STREAM, 0)) {
            assertThatThrownBy(() -> Posix.bind(other, address(held)))
                    .isInstanceOf(NativeFailure.class)
                    .hasMessageContaining("in use");
        }
    }

    /** What is passed to a socket is closed with it, and that may take long. */
    @ParameterizedTest
    @ValueSource(ints = {LibC.SOCK_STREAM, LibC.SOCK_DGRAM})
    void nobodySendsAnythingToTheSocketOfABlock(int type) throws NativeFailure {
        try (Blocks.Held held = Blocks.take(INTERFACE);
                Descriptor stranger = Posix.socket(LibC.AF_UNIX, type, 0)) {
            assertThatThrownBy(() -> Posix.connect(stranger, address(held)))
                    .isInstanceOf(NativeFailure.class)
                    .hasMessageContaining("refused");
        }
    }
}
