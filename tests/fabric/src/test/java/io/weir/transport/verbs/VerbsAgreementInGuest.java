package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.AgreementContract;
import io.weir.transport.rdma.SlotPlan;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs where there is a device: in a guest. */
@ExtendWith(Guest.class)
class VerbsAgreementInGuest extends AgreementContract {

    @Override
    protected Transport transport() {
        return new VerbsTransport();
    }

    @Override
    protected TransportSettings settings() {
        return Guest.settings(Map.of());
    }

    @Test
    void anOfferOfAnotherNetworkEndsIt() {
        PendingLink here = agreement(near, true);
        byte[] offer = new VerbsOffer(LinkLayer.INFINIBAND, 3, 1, 5, new Gid(0, 0), 17, 0, new SlotPlan(32, 40 << 10))
                .encode();
        assertThatThrownBy(() -> here.complete(offer).block(LONG))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("on ib, and ours on roce");
    }
}
