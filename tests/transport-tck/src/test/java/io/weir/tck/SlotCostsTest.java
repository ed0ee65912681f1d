package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What messages cost the network, in what it is asked to do. */
@ExtendWith(ResourceCheck.class)
@Timeout(120)
class SlotCostsTest {

    private static void with(WithBoth test) {
        int before = LoopbackDomain.REGISTERED.get();
        Object lock = new Object();
        LoopbackDomain near = new LoopbackDomain();
        LoopbackDomain far = new LoopbackDomain();
        LoopbackWire nearWire = LoopbackWire.open(near, lock);
        LoopbackWire farWire = LoopbackWire.open(far, lock);
        nearWire.join(farWire);
        try (LoopbackEnd first = new LoopbackEnd(near, nearWire, 32 << 20);
                LoopbackEnd second = new LoopbackEnd(far, farWire, 32 << 20)) {
            test.run(first, second);
        }
        assertThat(LoopbackDomain.REGISTERED).hasValue(before);
    }

    private interface WithBoth {
        void run(LoopbackEnd first, LoopbackEnd second);
    }

    private static ByteBuf body(int length) {
        return Unpooled.buffer(length).writerIndex(length);
    }

    private static void awaitReceived(LoopbackEnd end, int count) {
        Await.until("it has received " + count, () -> end.received.size() == count);
    }

    @Test
    void oneRequestForAShortMessage() {
        with((first, second) -> {
            assertThat(first.offer(body(32))).isTrue();
            awaitReceived(second, 1);
            assertThat(first.wire.sends()).isEqualTo(1);
            assertThat(second.wire.sends()).isZero();
        });
    }

    @Test
    void oneRequestForAllOfOneTurn() {
        with((first, second) -> {
            var unused = first.call(() -> {
                for (int i = 0; i < 100; i++) {
                    assertThat(first.link.offer(new Frame().set(FrameKind.DATA, 0, 1, 0, body(32))))
                            .isTrue();
                }
                return true;
            });
            awaitReceived(second, 100);
            assertThat(first.wire.sends()).isEqualTo(1);
        });
    }

    /** One tells of it, one reads it, one gives it back; and it lies where it was read to. */
    @Test
    void noCopyOfWhatLiesInRegisteredMemory() {
        with((first, second) -> {
            // What a loop needs for the first time is registered by another thread.
            warmUp(first, second);
            long sends = first.wire.sends();
            int reads = second.wire.reads();
            int length = 1 << 20;
            ByteBuf body = first.link.allocator().directBuffer(length, length).writerIndex(length);
            body.setInt(0, 4711).setInt(length - 4, 11);
            assertThat(first.link.takesInPlace(body)).isTrue();
            int before = second.received.size();
            assertThat(first.offer(body)).isTrue();
            awaitReceived(second, before + 1);
            Await.until("it is given back", () -> body.refCnt() == 0);
            assertThat(first.wire.sends()).isEqualTo(sends + 1);
            assertThat(second.wire.reads()).isEqualTo(reads + 1);
            ByteBuf there = Objects.requireNonNull(last(second));
            assertThat(second.link.takesInPlace(there)).isTrue();
            assertThat(there.getInt(0)).isEqualTo(4711);
            assertThat(there.getInt(length - 4)).isEqualTo(11);
        });
    }

    /** Its memory is gone by then, and with it the knowledge that the body is not too long. */
    @Test
    void aLinkThatHasEndedTakesNothing() {
        with((first, second) -> {
            ByteBuf body = first.link.allocator().directBuffer(1 << 20, 1 << 20).writerIndex(1 << 20);
            var unused = second.call(() -> {
                second.link.close();
                return true;
            });
            Await.until("the link is lost", () -> !first.lost.isEmpty());
            Await.until("nothing of it is left", () -> !first.call(() -> first.link.takesInPlace(body)));
            assertThat(first.offer(body)).isFalse();
            body.release();
        });
    }

    /** Some networks tell at once that the peer has gone, others when something is sent. */
    @Test
    void whatCameBeforeTheCableWasCutWaitsForAHandler() {
        Object lock = new Object();
        LoopbackDomain near = new LoopbackDomain();
        LoopbackDomain far = new LoopbackDomain();
        LoopbackWire nearWire = LoopbackWire.open(near, lock);
        LoopbackWire farWire = LoopbackWire.open(far, lock);
        nearWire.join(farWire);
        try (LoopbackEnd first = new LoopbackEnd(near, nearWire, 0);
                LoopbackEnd second = new LoopbackEnd(far, farWire, 0, false)) {
            for (int i = 0; i < 5; i++) {
                assertThat(first.offer(body(32))).isTrue();
            }
            Await.until("all have been sent", () -> nearWire.sends() == 5);
            nearWire.cut();
            Await.until("the sender is told", () -> !first.lost.isEmpty());
            // Turns enough to lose what waits.
            for (int turn = 0; turn < 50; turn++) {
                var unused = second.call(() -> true);
            }
            second.listen();
            Await.until("it is told", () -> !second.lost.isEmpty());
            assertThat(second.received).hasSize(5);
        }
    }

    private static void warmUp(LoopbackEnd first, LoopbackEnd second) {
        do {
            int before = second.received.size();
            ByteBuf body = first.link.allocator().directBuffer(1 << 20, 1 << 20).writerIndex(1 << 20);
            assertThat(first.offer(body)).isTrue();
            awaitReceived(second, before + 1);
        } while (!second.link.takesInPlace(Objects.requireNonNull(last(second))));
    }

    private static ByteBuf last(LoopbackEnd end) {
        ByteBuf last = null;
        for (ByteBuf each : end.received) {
            last = each;
        }
        return Objects.requireNonNull(last);
    }
}
