package io.weir.transport.elan;

import static io.weir.fuzz.Said.card;
import static io.weir.fuzz.Said.look;
import static io.weir.fuzz.Said.offer;
import static io.weir.fuzz.Said.otherOffer;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.transport.rdma.SlotPlan;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer says of its job, and offers for Elan: it is refused as a breach of the protocol, or is the same when
 * it is encoded. The fuzzer can have its offers sealed, as a process of the job could; what nobody has sealed is not
 * taken, since an address that it names is written to.
 */
class ElanOfferFuzzTest {

    private static final int PROCESSES = 4;

    /** Where the seal stands, as the drawing of the offer says. */
    private static final int SEAL_AT = 32;

    private static final int SEAL = 16;

    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.LEAST_SLOTS, SlotPlan.LEAST_BYTES);

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static Stream<byte[]> seeds() {
        return Stream.of(
                card(new ElanCard("0123456789abcdef").encode()),
                card("2/0123456789abcdef"),
                card("1/01"),
                otherOffer(new ElanOffer(3, 0x1000, 7, PLAN).encode(ElanOfferFuzzTest::digest)),
                offer(new ElanOffer(0, 8, -1, PLAN).encode(ElanOfferFuzzTest::digest)),
                otherOffer(new ElanOffer(PROCESSES, 8, 1, PLAN).encode(ElanOfferFuzzTest::digest)),
                otherOffer(new ElanOffer(1, 12, 1, PLAN).encode(ElanOfferFuzzTest::digest)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTakenIsTheSameWhenItIsEncoded(byte[] input) {
        look(input, ElanOfferFuzzTest::shown, ElanOfferFuzzTest::offered);
    }

    private static void offered(byte[] said, boolean otherSide) {
        byte[] sealed = said.clone();
        if (otherSide && said.length == ElanOffer.BYTES) {
            Arrays.fill(sealed, SEAL_AT, SEAL_AT + SEAL, (byte) 0);
            System.arraycopy(digest(sealed), 0, sealed, SEAL_AT, SEAL);
        }
        ElanOffer offer = ElanOffer.decode(sealed, PROCESSES, ElanOfferFuzzTest::digest);
        assertThat(offer.encode(ElanOfferFuzzTest::digest)).isEqualTo(sealed);
        assertThat(offer.vp()).isBetween(0, PROCESSES - 1);
        assertThat(offer.mailbox()).isPositive();
        assertThat(offer.mailbox() % Long.BYTES).isZero();
        assertThat(offer.secret()).isNotZero();
    }

    private static void shown(String said) {
        ElanCard card = ElanCard.decode(said);
        assertThat(card.encode()).matches("1/[0-9a-f]{16}");
        assertThat(ElanCard.decode(card.encode())).isEqualTo(card);
        assertThat(card.separates(card)).isNull();
    }
}
