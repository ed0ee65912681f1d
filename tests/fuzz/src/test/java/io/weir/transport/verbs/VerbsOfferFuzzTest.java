package io.weir.transport.verbs;

import static io.weir.fuzz.Said.card;
import static io.weir.fuzz.Said.look;
import static io.weir.fuzz.Said.offer;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.transport.rdma.SlotPlan;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of its port, and offers for verbs: it is refused as a breach of the protocol, or is the same
 * when it is encoded; and no number in it is one that a device would take for another.
 */
class VerbsOfferFuzzTest {

    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.MOST_SLOTS, SlotPlan.LEAST_BYTES);

    static Stream<byte[]> seeds() {
        Gid gid = new Gid(0xfe80L << 48, 1);
        Gid other = new Gid(0, 0xffff_0a00_0001L);
        return Stream.of(
                card(new VerbsCard(LinkLayer.ROCE, "v2-ipv4").encode()),
                card(new VerbsCard(LinkLayer.INFINIBAND, "fe80000000000000").encode()),
                card("2 roce v1"),
                card("1 opa v1"),
                offer(new VerbsOffer(LinkLayer.INFINIBAND, 5, 16, 7, gid, 17, 0xabcdef, PLAN).encode()),
                offer(new VerbsOffer(LinkLayer.ROCE, 1, 255, 0, other, 0xffffff, 0, PLAN).encode()),
                offer(new VerbsOffer(LinkLayer.ROCE, 3, 1, 0, new Gid(0, 0), 2, 0, PLAN).encode()),
                offer(new VerbsOffer(LinkLayer.INFINIBAND, 3, 1, 0xc000, gid, 2, 0, PLAN).encode()));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenIsTheSameWhenItIsEncoded(byte[] input) {
        look(input, VerbsOfferFuzzTest::shown, (offer, other) -> offered(offer));
    }

    private static void offered(byte[] said) {
        VerbsOffer offer = VerbsOffer.decode(said);
        assertThat(offer.encode()).isEqualTo(said);
        assertThat(offer.mtu()).isBetween(1, 5);
        assertThat(offer.maxReads()).isBetween(1, 255);
        assertThat(offer.queuePair()).isBetween(2, (1 << 24) - 1);
        assertThat(offer.psn()).isBetween(0, (1 << 24) - 1);
        assertThat(offer.layer() == LinkLayer.ROCE || offer.lid() >= 1 && offer.lid() < 0xc000)
                .isTrue();
        assertThat(offer.plan()).isNotNull();
    }

    private static void shown(String said) {
        VerbsCard card = VerbsCard.decode(said);
        assertThat(card.encode()).matches("1 (ib|roce) [0-9a-z-]+");
        assertThat(VerbsCard.decode(card.encode())).isEqualTo(card);
        assertThat(card.separates(card)).isNull();
    }
}
