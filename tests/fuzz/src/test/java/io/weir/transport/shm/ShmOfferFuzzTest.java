package io.weir.transport.shm;

import static io.weir.fuzz.Said.input;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Nonce;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer offers for shared memory: it is refused as a breach of the protocol, or is encoded to the same bytes.
 * And the system, for which a path ends at the first zero, is told to connect to no socket but one of the name that
 * those for shared memory have.
 */
class ShmOfferFuzzTest {

    private static final String NAME = "/shm-0123456789abcdef0123456789abcdef.sock";

    static Stream<byte[]> seeds() {
        SegmentLayout least = new SegmentLayout(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL);
        SegmentLayout most = new SegmentLayout(SegmentLayout.MAX_RING, SegmentLayout.MAX_POOL);
        return Stream.of(
                input(1, offer(least, "/run/user/1000/weir" + NAME)),
                input(1, offer(most, "/" + "é".repeat(30) + NAME)),
                input(1, offer(least, "/tmp/other.sock")),
                // Found: for the system that is /tmp/other.sock.
                input(1, offer(least, "/tmp/other.sock\0" + NAME)),
                input(0, offer(least, "")),
                input(0, offer(most, NAME)),
                input(0, new byte[ShmOffer.MAX_PATH]));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void anOfferNamesNoOtherSocket(byte[] input) {
        if (input.length == 0) {
            return;
        }
        boolean listens = (input[0] & 1) != 0;
        byte[] offer = Arrays.copyOfRange(input, 1, input.length);
        ShmOffer decoded;
        try {
            decoded = ShmOffer.decode(offer, listens);
        } catch (ProtocolMismatch e) {
            return;
        }
        assertThat(decoded.encode()).isEqualTo(offer);
        assertThat(decoded.layout().length()).isPositive();
        if (listens) {
            assertThat(asTheSystemReadsIt(decoded.socket())).startsWith("/").matches("(?s).*/shm-[0-9a-f]{32}\\.sock");
        } else {
            assertThat(decoded.socket()).isEmpty();
        }
    }

    private static String asTheSystemReadsIt(String path) {
        int end = path.indexOf('\0');
        return end < 0 ? path : path.substring(0, end);
    }

    private static byte[] offer(SegmentLayout layout, String socket) {
        Nonce nonce = new Nonce("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        return new ShmOffer(layout, nonce, socket).encode();
    }
}
