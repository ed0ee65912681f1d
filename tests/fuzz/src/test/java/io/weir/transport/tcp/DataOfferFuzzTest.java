package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.PeerAddress;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer offers for tcp: it is refused as a breach of the protocol, in words that can be shown to people, or
 * names an address of IP in figures, so that no name is looked up, and means the same when it is encoded again.
 */
class DataOfferFuzzTest {

    private static final int NONCE = 16;
    private static final int LONGEST = 128;

    static Stream<byte[]> seeds() {
        return Stream.of(
                DataOffer.at(PeerAddress.parse("10.0.0.1:7400")).encode(),
                DataOffer.at(PeerAddress.parse("tcp://[fe80::1]:65535")).encode(),
                offer("[::ffff:10.0.0.1]:1"),
                offer("[fe80::1%eth0]:1"),
                offer("localhost:7400"),
                offer("10.0.0.1:0"),
                offer("unix:/tmp/a"),
                offer("010.1:99999"),
                // Found: the host stood in the words as it came.
                offer("\r\n10.0.0.1:99999"),
                offer(""),
                offer("a".repeat(120)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void anOfferNamesAnAddressInFigures(byte[] input) {
        DataOffer offer;
        try {
            offer = DataOffer.decode(input);
        } catch (ProtocolMismatch e) {
            for (Throwable each = e; each != null; each = each.getCause()) {
                assertThat(String.valueOf(each.getMessage())).doesNotMatch("(?s).*\\p{Cntrl}.*");
            }
            return;
        }
        assertThat(offer.nonce()).isEqualTo(Arrays.copyOf(input, NONCE));
        assertThat(offer.address().port()).isBetween(1, 0xffff);
        assertThat(offer.address().host()).matches("[0-9a-fA-F.:\\[\\]]+(%.*)?");
        byte[] encoded = offer.encode();
        // What stands for bytes that are not UTF-8 in the zone of an address of IPv6 is longer than these were.
        if (encoded.length > LONGEST) {
            return;
        }
        DataOffer again = DataOffer.decode(encoded);
        assertThat(again.address()).isEqualTo(offer.address());
        assertThat(again.nonce()).isEqualTo(offer.nonce());
        ByteBuf hello = offer.hello();
        assertThat(again.isHello(hello)).isTrue();
        assertThat(again.isHello(hello.slice(0, hello.readableBytes() - 1))).isFalse();
        assertThat(again.isHello(Unpooled.copiedBuffer(hello).setByte(4, hello.getByte(4) ^ 1)))
                .isFalse();
    }

    private static byte[] offer(String address) {
        byte[] text = address.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[NONCE + text.length];
        System.arraycopy(text, 0, bytes, NONCE, text.length);
        return bytes;
    }
}
