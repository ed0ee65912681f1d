package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
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

    /** As where the other side could not register its memory: its port may be without any link then. */
    @Test
    void aPortWithoutLinksTakesWhatComes() {
        AtomicBoolean quiet = new AtomicBoolean();
        GmPort alone = GmPort.acquire(lonely().choice());
        try {
            GmHalf half = refusedBy(lonely());
            half.wire().close(() -> {
                half.close();
                quiet.set(true);
            });
            Soon.until(quiet::get);
            // Not because sending has failed, as it does when nobody takes what is sent for long.
            Throwable failure = catchThrowable(() -> half.wire().poll(null));
            if (failure != null) {
                assertThat(failure).hasMessageContaining("the peer has ended the link");
            }
        } finally {
            alone.release();
        }
    }

    /** As above, but the answer is lost: it kept the memory from the next try, which failed, and kept it in turn. */
    @Test
    void whoeverWasNeverGreetedKeepsNoMemory() {
        AtomicBoolean quiet = new AtomicBoolean();
        GmHalf half = refusedBy(GmOptions.of(Emulation.settings(Map.of("slot-size", "100k"))));
        nearPort.lock();
        try {
            for (int message = 0; message < MANY; message++) {
                far.wire.send(far.address(), far.registered.localKey(), SIZE, false);
            }
            half.wire().close(() -> {
                half.close();
                quiet.set(true);
            });
            farPort.lock();
            // The far port takes the farewell, and has no token to answer with: its own messages still wait for tokens.
            // One look is not enough: a message waits until there is a buffer for it, and its sender learns late that
            // it was taken.
            for (int look = 0; look < 50; look++) {
                int unusedThere = farPort.turn();
                int unusedHere = nearPort.turn();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        } finally {
            nearPort.unlock();
        }
        try {
            assertThat(quiet).isTrue();
        } finally {
            farPort.unlock();
        }
    }

    /** The emulation ends a process that gives memory back while something is sent from it. */
    @Test
    void aPortIsClosedBehindItsLastAnswer() {
        int open = GmPort.open();
        GmPort alone = GmPort.acquire(lonely().choice());
        GmWire left = near.wire;
        nearPort.lock();
        try {
            alone.lock();
            try {
                alone.answer(
                        GmPort.destination(alone.localNode(nearPort.globalNode()), nearPort.number()), left.link());
            } finally {
                alone.unlock();
            }
            alone.release();
            // Nobody takes it meanwhile, however long the port tries to close.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            assertThat(GmPort.open()).isEqualTo(open + 1);
        } finally {
            nearPort.unlock();
        }
        Soon.until(() -> {
            near.poll();
            return GmPort.open() == open;
        });
    }

    private static GmOptions lonely() {
        return GmOptions.of(Emulation.settings(Map.of("slot-size", "200k")));
    }

    /** A half of the near port that has greeted one over there which is gone. */
    private static GmHalf refusedBy(GmOptions there) {
        GmHalf other = GmHalf.open(there);
        GmHalf half = GmHalf.open(Emulation.options());
        var unusedPlan = half.read(other.offer());
        other.wire().close(other::close);
        half.giveUp();
        assertThatThrownBy(half::join).hasMessageContaining("given up");
        return half;
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
