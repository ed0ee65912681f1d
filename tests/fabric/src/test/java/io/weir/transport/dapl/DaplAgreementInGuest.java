package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Link;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.fabric.guest.DeviceCheck;
import io.weir.transport.rdma.AgreementContract;
import io.weir.transport.rdma.Soon;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs where there is a provider with a device: in a guest. */
@ExtendWith({DeviceCheck.class, Guest.class})
class DaplAgreementInGuest extends AgreementContract {

    @Override
    protected Transport transport() {
        return new DaplTransport();
    }

    @Override
    protected TransportSettings settings() {
        return Guest.settings(Map.of("adapter", Guest.ADAPTER));
    }

    /** Both would wait for the other one to connect. */
    @Test
    void twoWhoListenDoNotAgree() {
        PendingLink there = agreement(far, false);
        PendingLink other = agreement(near, false);
        assertThatThrownBy(() -> there.complete(other.offer()).block(LONG)).isInstanceOf(ProtocolMismatch.class);
        run(near, other::close);
    }

    @Test
    void nothingIsLeftOfOneWhosePeerNeverComes() {
        PendingLink there = agreement(far, false);
        PendingLink here = agreement(near, true);
        CompletableFuture<Link> waiting = begin(far, there, here.offer());
        run(near, here::close);
        assertThat(waiting).isNotDone();
        run(far, there::close);
        assertThatThrownBy(() -> Soon.await(waiting))
                .hasCauseInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("given up");
    }
}
