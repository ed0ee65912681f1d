package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Links between two ports, of which one does nothing as long as the test has its lock: when memory is let go of. */
@ExtendWith(Emulation.class)
class GmLeavingOnEmulation {

    private static final int SIZE = 64;
    /** More than a port has tokens. */
    private static final int MANY = 200;

    private GmPort nearPort;
    private GmPort farPort;
    private WireEnd<GmWire> near;
    private WireEnd<GmWire> far;

    @BeforeEach
    void connect() {
        GmOptions here = Emulation.options();
        GmOptions there = GmOptions.of(Emulation.settings(Map.of("slot-size", "100k")));
        nearPort = GmPort.acquire(here.choice());
        farPort = GmPort.acquire(there.choice());
        List<WireEnd<GmWire>> pair = Emulation.pair(here, there, WireEnd.SLOT);
        near = pair.get(0);
        far = pair.get(1);
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
        nearPort.release();
        farPort.release();
    }

    @Test
    void whatNobodyHasTakenHasNotArrived() {
        farPort.lock();
        try {
            near.send(SIZE, true);
            near.poll();
            assertThat(near.told).isZero();
        } finally {
            farPort.unlock();
        }
        Soon.until(() -> {
            far.poll();
            near.poll();
            return near.told == 1;
        });
    }

    @Test
    void memoryIsKeptUntilWhatIsSentFromItIsTaken() {
        AtomicBoolean quiet = new AtomicBoolean();
        farPort.lock();
        try {
            near.send(SIZE, true);
            far.close();
            hearsTheEnd(near);
            near.close(() -> quiet.set(true));
            assertThat(quiet).isFalse();
        } finally {
            farPort.unlock();
        }
        Soon.until(quiet::get);
    }

    /** Who has no token for it can't say it yet, and could still have something on its way. */
    @Test
    void memoryIsKeptUntilThePeersLastWord() {
        AtomicBoolean quiet = new AtomicBoolean();
        nearPort.lock();
        try {
            for (int message = 0; message < MANY; message++) {
                far.wire.send(far.address(), far.registered.localKey(), SIZE, false);
            }
            near.close(() -> quiet.set(true));
            hearsTheEnd(far);
            farPort.lock();
            // Now nothing of ours is on its way any more.
            int unused = nearPort.turn();
        } finally {
            // Behind it who has become quiet is told so.
            nearPort.unlock();
        }
        try {
            assertThat(quiet).isFalse();
        } finally {
            farPort.unlock();
        }
        // As who has heard of the end does.
        far.close();
        Soon.until(quiet::get);
    }

    private static void hearsTheEnd(WireEnd<GmWire> end) {
        Throwable[] failure = new Throwable[1];
        Soon.until(() -> {
            failure[0] = catchThrowable(end::poll);
            return failure[0] != null;
        });
        assertThat(failure[0]).hasMessageContaining("the peer has ended the link");
    }
}
