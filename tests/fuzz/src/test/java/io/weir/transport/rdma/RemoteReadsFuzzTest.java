package io.weir.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever blocks a peer describes, and in whatever order its device serves what is read of them: each block comes out
 * once, whole and in the order in which the blocks were described; only memory that is ours and registered is read
 * into, no two reads into the same; no more reads are under way than the wire allows; and nothing is kept.
 */
class RemoteReadsFuzzTest {

    private static final int POOL = 8 << 20;
    private static final SlotPlan PLAN = new SlotPlan(SlotPlan.LEAST_SLOTS, SlotPlan.LEAST_BYTES);
    private static final Domain DOMAIN = (address, length, readable) -> new RegisteredMemory(1, 2, () -> {});
    private static final LinkMemory MEMORY = LinkMemory.make(DOMAIN, PLAN, PLAN, 0);
    private static final RegisteredPool SMALL = new RegisteredPool(DOMAIN, POOL);
    private static final RegisteredPool NONE = new RegisteredPool(DOMAIN, 0);

    private static final int IN_POOL = 1;
    private static final int READS_SHIFT = 1;

    private static final int ADD = 0;
    private static final int BEGIN = 1;
    private static final int SERVE = 2;
    private static final int TAKE = 3;
    private static final int KEEP = 4;
    private static final int DEEDS = 5;

    static Stream<byte[]> seeds() {
        return Stream.of(
                deeds(0, ADD, 2, 0, ADD, 3, 5, BEGIN, SERVE, 0, TAKE, BEGIN, SERVE, 0, TAKE),
                deeds(
                        0, ADD, 200, 12, BEGIN, SERVE, 0, SERVE, 0, SERVE, 0, SERVE, 0, SERVE, 0, SERVE, 0, SERVE, 0,
                        TAKE),
                deeds(
                        IN_POOL | 3 << READS_SHIFT,
                        ADD,
                        9,
                        9,
                        ADD,
                        8,
                        10,
                        ADD,
                        7,
                        3,
                        ADD,
                        1,
                        0,
                        ADD,
                        9,
                        9,
                        BEGIN,
                        SERVE,
                        3),
                deeds(IN_POOL | 3 << READS_SHIFT, ADD, 255, 14, ADD, 255, 14, ADD, 255, 14, BEGIN, SERVE, 1, SERVE, 0),
                deeds(IN_POOL | 1 << READS_SHIFT, ADD, 255, 15, ADD, 255, 15, ADD, 2, 2, BEGIN, SERVE, 0, KEEP, BEGIN),
                deeds(IN_POOL, TAKE, BEGIN, SERVE, 7, KEEP));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void eachBlockComesOutWholeAndInOrder(byte[] input) {
        Reading reading = new Reading(input);
        try {
            reading.run();
        } finally {
            reading.end();
        }
    }

    private record Described(long address, int key, int length) {}

    private record Asked(long address, int bytes, long remoteAddress, int token) {}

    private static final class Reading implements Wire {

        private final byte[] input;
        private final int maxReads;
        private final RegisteredPool pool;
        private final RemoteReads reads;
        private final Deque<Described> described = new ArrayDeque<>();
        private final List<Asked> underWay = new ArrayList<>();
        private final List<ByteBuf> kept = new ArrayList<>();
        private int at = 1;
        private long nextAddress = 0x1000;

        Reading(byte[] input) {
            this.input = input;
            int how = input.length == 0 ? 0 : input[0];
            this.maxReads = 1 + (how >>> READS_SHIFT & 7);
            this.pool = (how & IN_POOL) != 0 ? SMALL : NONE;
            this.reads = new RemoteReads(this, pool, MEMORY);
        }

        private int next() {
            return at < input.length ? input[at++] & 0xff : 0;
        }

        void run() {
            while (at < input.length) {
                switch (next() % DEEDS) {
                    case ADD -> add();
                    case BEGIN -> reads.begin();
                    case SERVE -> serve(next());
                    case TAKE -> take(false);
                    default -> take(true);
                }
                assertThat(reads.count()).isEqualTo(described.size());
            }
            for (int round = 0; !described.isEmpty(); round++) {
                assertThat(round).as("rounds until all is here").isLessThan(10_000);
                reads.begin();
                serve(round);
                take(false);
            }
        }

        /** No more than a peer may have us read at once. */
        private void add() {
            int length = 1 + (next() << next() % 12);
            if (described.size() < SlotLayout.LENT) {
                reads.add(nextAddress, length, length);
                described.add(new Described(nextAddress, length, length));
                nextAddress += length;
            }
        }

        private void serve(int which) {
            if (underWay.isEmpty()) {
                return;
            }
            Asked served = underWay.remove(which % underWay.size());
            ByteBuffer memory = Structures.at(served.address(), served.bytes());
            mark(memory, 0, served.remoteAddress());
            mark(memory, served.bytes() - 1, served.remoteAddress() + served.bytes() - 1);
            reads.arrived(served.token());
        }

        private static void mark(ByteBuffer memory, int index, long remoteAddress) {
            memory.put(index, marked(remoteAddress));
        }

        private static byte marked(long remoteAddress) {
            return (byte) (remoteAddress * 0x9e37_79b9L >>> 16);
        }

        private void take(boolean keep) {
            ByteBuf body = reads.takeFirst();
            if (body == null) {
                return;
            }
            Described first = described.remove();
            assertThat(body.readableBytes()).isEqualTo(first.length());
            assertThat(body.getByte(body.readerIndex())).isEqualTo(marked(first.address()));
            assertThat(body.getByte(body.writerIndex() - 1)).isEqualTo(marked(first.address() + first.length() - 1));
            assertThat(body.refCnt()).isEqualTo(1);
            if (keep) {
                kept.add(body);
            } else {
                body.release();
            }
        }

        void end() {
            reads.end();
            kept.forEach(ByteBuf::release);
            assertThat(pool.registeredBytes()).isIn(0L, (long) POOL);
            if (pool.registeredBytes() != 0) {
                ByteBuf all = pool.takeFull(POOL);
                assertThat(all).as("the whole pool").isNotNull();
                all.release();
            }
        }

        @Override
        public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
            assertThat(bytes).isPositive();
            assertThat(token).isBetween(0, maxReads - 1);
            assertThat(key).isEqualTo(1);
            long bounce = MEMORY.mapping().address() + MEMORY.bounceIndex();
            if (address == bounce) {
                assertThat(bytes).isLessThanOrEqualTo(LinkMemory.BOUNCE);
            } else {
                assertThat(pool.registeredBytes()).isPositive();
            }
            Described of = described.stream()
                    .filter(each ->
                            each.address() <= remoteAddress && remoteAddress + bytes <= each.address() + each.length())
                    .findFirst()
                    .orElseThrow();
            assertThat(remoteKey).isEqualTo(of.key());
            Set<Integer> tokens = new HashSet<>();
            for (Asked each : underWay) {
                tokens.add(each.token());
                assertThat(address >= each.address() + each.bytes() || each.address() >= address + bytes)
                        .as("apart from what is under way")
                        .isTrue();
            }
            assertThat(tokens.add(token)).isTrue();
            underWay.add(new Asked(address, bytes, remoteAddress, token));
            assertThat(underWay).hasSizeLessThanOrEqualTo(maxReads);
        }

        @Override
        public int maxReads() {
            return maxReads;
        }

        @Override
        public void receive(long address, int key, int bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(long address, int key, int bytes, boolean report) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int poll(Completions to) {
            return 0;
        }

        @Override
        public boolean arm() {
            return true;
        }

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public void awake() {
            // Nobody sleeps.
        }

        @Override
        public void close() {
            // There is nothing to be closed.
        }
    }

    private static byte[] deeds(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
