package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.SessionLost;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where one send in fifty fails. The emulation ends whoever does not let the stream go on exactly once for each. */
@ExtendWith(Emulation.class)
class GmFailingOnEmulation {

    private static final int ROUNDS = 20;
    private static final int SIZE = 100;

    @Test
    void linksWithThePeerAreLostAndNewOnesWork() {
        // A port that is opened anew would have no streams that stand still.
        GmPort held = GmPort.acquire(Emulation.options().choice());
        for (int round = 0; round < ROUNDS; round++) {
            List<WireEnd<GmWire>> pair = Emulation.pair(WireEnd.SLOT);
            WireEnd<GmWire> near = pair.get(0);
            WireEnd<GmWire> far = pair.get(1);
            Throwable[] failure = new Throwable[1];
            Soon.until(() -> {
                failure[0] = catchThrowable(() -> {
                    near.poll();
                    far.poll();
                    if (near.maySend()) {
                        near.send(SIZE, true);
                    }
                });
                return failure[0] != null;
            });
            assertThat(failure[0])
                    .isInstanceOf(SessionLost.class)
                    .hasMessageMatching(
                            "a message to the peer has failed: the peer has had no room .* \\(status 15\\)");
            // Up to the failure nothing is missing.
            assertThat(far.received).isBetween(near.told, near.sent);
            near.close();
            far.close();
        }
        held.release();
    }
}
