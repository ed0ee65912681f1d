package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.SessionLost;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where one send in fifty fails. The emulation ends whoever does not let the stream go on exactly once for each. */
@ExtendWith(Emulation.class)
class GmFailingOnEmulation {

    private static final int ROUNDS = 20;
    private static final int SIZE = 100;

    @Test
    void linksWithThePeerAreLostAndNewOnesWork() {
        untilOneFails(1, (near, far) -> {
            // Up to the failure nothing is missing.
            assertThat(far.received).isBetween(near.told, near.sent);
        });
    }

    /** It comes back, and is nothing that a stream has to go on after. */
    @Test
    void whatIsBehindAMessageThatFailsEndsNothingElse() {
        // The 48th fails, behind the two with which both ends have greeted each other.
        untilOneFails(10, (near, far) -> assertThat(near.sent).isGreaterThan(near.told + 1));
    }

    private static void untilOneFails(int atOnce, BiConsumer<WireEnd<GmWire>, WireEnd<GmWire>> check) {
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
                    for (int i = 0; i < atOnce && near.maySend(); i++) {
                        near.send(SIZE, true);
                    }
                });
                return failure[0] != null;
            });
            assertThat(failure[0])
                    .isInstanceOf(SessionLost.class)
                    .hasMessageMatching(
                            "a message to the peer has failed: the peer has had no room .* \\(status 15\\)");
            check.accept(near, far);
            near.close();
            far.close();
        }
        held.release();
    }
}
