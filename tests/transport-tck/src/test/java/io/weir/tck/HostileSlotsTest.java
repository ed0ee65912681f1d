package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Bytes;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.Domain;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer that sends what no link sends: the link ends with a sentence, and nothing is left behind. */
@ExtendWith({ResourceCheck.class, Seed.class})
@Timeout(120)
class HostileSlotsTest {

    private static final int DATA = FrameKind.DATA.code();
    private static final int BLOCK = 0x10;
    private static final int RETURNED = 0x20;

    /** One end without a link: sends bytes as they are. */
    private static final class Raw implements AutoCloseable {

        private final LoopbackDomain domain = new LoopbackDomain();
        private final Mapping mapping;
        private final Domain.Registration registration;
        private final LoopbackWire wire;

        Raw(Object lock) throws NativeFailure {
            this.mapping = Posix.memory(1 << 20);
            this.registration = domain.register(mapping.address(), mapping.length(), true);
            this.wire = LoopbackWire.open(domain, lock);
            for (int slot = 0; slot < LoopbackEnd.PLAN.slots(); slot++) {
                wire.receive(mapping.address() + (1 + slot) * (64L << 10), registration.localKey(), 64 << 10);
            }
        }

        ByteBuffer memory() {
            return mapping.memory();
        }

        void send(int bytes) {
            wire.send(mapping.address(), registration.localKey(), bytes, true);
        }

        @Override
        public void close() {
            wire.close();
            registration.close();
            mapping.release();
        }
    }

    private static void with(WithBoth test) throws Exception {
        int before = LoopbackDomain.REGISTERED.get();
        Object lock = new Object();
        LoopbackDomain domain = new LoopbackDomain();
        LoopbackWire wire = LoopbackWire.open(domain, lock);
        try (Raw raw = new Raw(lock)) {
            wire.join(raw.wire);
            try (LoopbackEnd end = new LoopbackEnd(domain, wire, 0)) {
                test.run(raw, end);
            }
        }
        assertThat(LoopbackDomain.REGISTERED).hasValue(before);
    }

    private interface WithBoth {
        void run(Raw raw, LoopbackEnd end) throws Exception;
    }

    /** Words of a message, and what the sentence has to say. */
    static Stream<Arguments> messages() {
        long head = 0;
        return Stream.of(
                Arguments.of("holds no records", 4, new long[] {head}),
                Arguments.of("holds no records", 12, new long[] {head, 0}),
                Arguments.of("gives back 9 slots of 0", 8, new long[] {9}),
                Arguments.of("gives back 4294967295 slots", 8, new long[] {0xffff_ffffL}),
                Arguments.of("ends within a record", 16, new long[] {head, FrameLayout.word0(DATA, 0, 0, 0)}),
                Arguments.of("unknown kind 77", 24, new long[] {head, FrameLayout.word0(77, 0, 0, 0), 0}),
                Arguments.of("frame of 9 bytes in 16", 24, new long[] {head, FrameLayout.word0(DATA, 0, 0, 9), 0}),
                Arguments.of("frame of -1 bytes", 24, new long[] {head, FrameLayout.word0(DATA, 0, 0, -1), 0}),
                Arguments.of(
                        "8 bytes with 9 bytes of control", 32, new long[] {head, FrameLayout.word0(DATA, 0, 9, 8), 0, 0
                        }),
                Arguments.of("bytes of control data and a block", 32, new long[] {
                    head, FrameLayout.word0(DATA, BLOCK, 0, 8), 0, 0
                }),
                Arguments.of("can't be", 24, new long[] {head, FrameLayout.word0(0, 1, 0, 0), 0}),
                Arguments.of(
                        "gives back the block 5", 24, new long[] {head, FrameLayout.word0(0, RETURNED, 0, 0), 5L << 32
                        }),
                Arguments.of("block of 0 bytes", 48, block(1, 0x1000, 0)),
                Arguments.of("block of -1 bytes", 48, block(1, 0x1000, -1)),
                Arguments.of("block of 67108865 bytes", 48, block(1, 0x1000, (64 << 20) + 1)),
                Arguments.of("without saying so", 48, block(0, 0x1000, 5000)),
                Arguments.of("does not let us read", 48, block(1, 0x1000, 5000)));
    }

    private static long[] block(long blocks, long address, int length) {
        return new long[] {blocks << 32, FrameLayout.word0(DATA, BLOCK, 0, 24), 1, address, 7 | (long) length << 32, 0};
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whatCannotBeEndsTheLink(String sentence, int bytes, long[] words) throws Exception {
        with((raw, end) -> {
            for (int i = 0; i < words.length; i++) {
                Bytes.LONGS.set(raw.memory(), 8 * i, words[i]);
            }
            raw.send(bytes);
            Await.until("the link is lost", () -> !end.lost.isEmpty());
            WeirException reason = end.lost.get(0);
            assertThat(reason).isInstanceOfAny(ProtocolMismatch.class, SessionLost.class);
            assertThat(reason).hasMessageContaining(sentence);
            assertThat(end.lost).hasSize(1);
        });
    }

    /** Sound messages with a few bytes changed, and noise. */
    @Test
    void anyBytesDoNoHarm() throws Exception {
        SplittableRandom random = Seed.random("slots");
        for (int round = 0; round < 60; round++) {
            with((raw, end) -> {
                for (int message = 0; message < LoopbackEnd.PLAN.slots() && end.lost.isEmpty(); message++) {
                    raw.send(fill(raw.memory(), random));
                }
            });
        }
    }

    private static int fill(ByteBuffer memory, SplittableRandom random) {
        int at = 8;
        Bytes.LONGS.set(memory, 0, (long) random.nextInt(2) << 32);
        for (int record = random.nextInt(4); record >= 0; record--) {
            int body = random.nextInt(64);
            Bytes.LONGS.set(memory, at, FrameLayout.word0(random.nextInt(64), random.nextInt(256), 0, body));
            at += (int) FrameLayout.size(0, body);
        }
        for (int change = random.nextInt(5); change > 0; change--) {
            memory.put(random.nextInt(at), (byte) random.nextInt());
        }
        return random.nextInt(8) == 0 ? random.nextInt(at + 1) : at;
    }

    /**
     * A peer that never gives anything back: what is offered is refused in time, and closing does not wait for ever.
     */
    @Test
    void aPeerThatGivesNothingBackFillsTheLink() throws Exception {
        with((raw, end) -> {
            int taken = 0;
            while (end.offer(Unpooled.buffer(1000).writerIndex(1000))) {
                taken++;
                assertThat(taken).isLessThan(1000);
            }
            assertThat(taken).isPositive();
            // The last slot is kept for a message that gives slots back: else two full sides could wait for each other.
            assertThat(end.wire.sends()).isEqualTo(LoopbackEnd.PLAN.slots() - 1);
            assertThat(end.lost).isEmpty();
        });
    }

    @Test
    void aCutWireEndsTheLink() throws Exception {
        with((raw, end) -> {
            end.wire.cut();
            Await.until("the link is lost", () -> !end.lost.isEmpty());
            assertThat(end.lost.get(0)).hasMessageContaining("cable was cut");
        });
    }
}
