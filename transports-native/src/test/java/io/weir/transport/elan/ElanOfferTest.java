package io.weir.transport.elan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.SlotPlan;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElanOfferTest {

    private static final ElanOffer OFFER = new ElanOffer(3, 0x7f00_0000_1000L, 42, new SlotPlan(32, 40 << 10));

    private static UnaryOperator<byte[]> job(String capability) {
        return bytes -> new ElanMembership(capability, 0, 8).seal("", bytes);
    }

    @Test
    void comesAsItWasMade() {
        assertThat(ElanOffer.decode(OFFER.encode(job("ours")), 8, job("ours"))).isEqualTo(OFFER);
    }

    /** It says where is written to. */
    @Test
    void isNotTakenFromAnotherJob() {
        assertThatThrownBy(() -> ElanOffer.decode(OFFER.encode(job("theirs")), 8, job("ours")))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("it was not made by a process of this job");
    }

    @Test
    void isNotTakenIfAnyByteWasChanged() {
        byte[] sound = OFFER.encode(job("ours"));
        for (int at = 0; at < sound.length; at++) {
            byte[] changed = sound.clone();
            changed[at] ^= 1;
            assertThatThrownBy(() -> ElanOffer.decode(changed, 8, job("ours")))
                    .as("at " + at)
                    .isInstanceOf(ProtocolMismatch.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, 4096, 1, its process's number is 8",
        "-1, 4096, 1, its process's number is -1",
        "0, 0, 1, its mailbox is 0",
        "0, 4097, 1, its mailbox is 4097",
        "0, -8, 1, its mailbox is -8",
        "0, 4096, 0, its secret is 0"
    })
    void isNotTakenIfItCantBe(int vp, long mailbox, long secret, String told) {
        byte[] offer = new ElanOffer(vp, mailbox, secret, OFFER.plan()).encode(job("ours"));
        assertThatThrownBy(() -> ElanOffer.decode(offer, 8, job("ours")))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(told);
    }
}
