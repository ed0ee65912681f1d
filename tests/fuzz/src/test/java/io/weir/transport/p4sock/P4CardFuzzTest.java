package io.weir.transport.p4sock;

import static io.weir.fuzz.Said.card;
import static io.weir.fuzz.Said.look;
import static io.weir.fuzz.Said.offer;
import static io.weir.fuzz.Said.otherOffer;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of its interfaces, and offers for Ethernet: it is refused as a breach of the protocol, or means
 * the same when it is encoded again; both sides find the same pair of interfaces, and never one of a group of hosts.
 */
class P4CardFuzzTest {

    private static final P4Card OURS = new P4Card(
            ByteOrder.LITTLE_ENDIAN,
            false,
            List.of(
                    new P4Card.Port(Mac.parse("02:00:5e:10:00:01"), 1500, List.of(Subnet.parse("10.0.0.1/24"))),
                    new P4Card.Port(Mac.parse("02:00:5e:10:00:02"), 9000, List.of(Subnet.parse("192.168.7.1/16")))));

    static Stream<byte[]> seeds() {
        Nonce nonce = new Nonce("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        Mac mac = Mac.parse("02:00:5e:10:00:03");
        return Stream.of(
                card(OURS.encode()),
                card("1 little any|02:00:5e:10:00:07,1500,10.0.0.2/24|02:00:5e:10:00:08,9000"),
                card("1 big named|02:00:5e:10:00:07,1500,0.0.0.0/0,255.255.255.255/32"),
                card("1 little any|01:00:5e:10:00:07,1500"),
                card("2 little any"),
                card("1 little"),
                card(""),
                otherOffer(new P4Offer(mac, 0x7765_6972_0000_0001L, 1480, 2800, nonce).encode()),
                offer(new P4Offer(mac, 0, 100, 8, nonce).encode()),
                offer(new P4Offer(mac, 0, 0xffff, 8192, nonce).encode()));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenMeansTheSameWhenItIsEncoded(byte[] input) {
        look(input, P4CardFuzzTest::shown, P4CardFuzzTest::offered);
    }

    private static void offered(byte[] said, boolean accepts) {
        P4Offer offer = P4Offer.decode(said, accepts);
        assertThat(offer.encode()).isEqualTo(said);
        assertThat(offer.mac().isOfAHost()).isTrue();
        assertThat(offer.payload()).isBetween(FrameFormat.SHORTEST, 0xffff);
        assertThat(offer.window()).isBetween(P4Options.LEAST_FRAGMENTS, P4Options.MOST_FRAGMENTS);
    }

    private static void shown(String said) {
        P4Card card = P4Card.decode(said);
        assertThat(P4Card.decode(card.encode())).isEqualTo(card);
        assertThat(card.ports()).hasSizeLessThanOrEqualTo(P4Card.MOST_PORTS);
        P4Card.Pair pair = P4Card.pair(OURS, card);
        if (pair != null) {
            assertThat(pair.accepting().mac().isOfAHost()).isTrue();
            assertThat(OURS.ports()).contains(pair.connecting());
            assertThat(card.ports()).contains(pair.accepting());
        }
        P4Card.Pair other = P4Card.pair(card, OURS);
        assertThat(other == null).isEqualTo(pair == null);
        String why = OURS.separates(card);
        assertThat(why == null).isEqualTo(pair != null && card.order() == ByteOrder.LITTLE_ENDIAN);
        assertThat(why == null).isEqualTo(card.separates(OURS) == null);
    }
}
