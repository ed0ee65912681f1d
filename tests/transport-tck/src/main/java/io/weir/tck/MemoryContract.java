package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * Memory of {@link io.weir.core.Link#allocator()} travels and comes back in every way that a user may think of. All of
 * it holds for links without memory of their own as well.
 */
interface MemoryContract extends LinkPairs {

    int BLOCK = 48_000;

    /** More than the memory of any link under test: here its pool must be exhausted. */
    int MOST_BLOCKS = 4_000;

    @Test
    default void bodiesFromTheAllocatorArriveAndComeBack() throws Exception {
        try (LinkPair pair = open()) {
            int most = Math.min(pair.maxFrame(), BLOCK);
            FrameStream stream = FrameStream.mixed("allocated", most);
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            pair.first.sendAll((number, frame, bodies) -> fromAllocator(stream, number, frame, bodies), 4_000);
            pair.second.awaitReceived(4_000);
        }
    }

    private static void fromAllocator(FrameStream stream, long number, Frame frame, Bodies bodies) {
        stream.fill(number, frame, bodies);
        ByteBuf other = frame.body();
        ByteBuf body = bodies.ofLink().buffer(other.readableBytes());
        var unused = frame.body(body.writeBytes(other, other.readerIndex(), other.readableBytes()));
        other.release();
    }

    @Test
    default void longBodiesThatLieInPlaceTravelWhole() throws Exception {
        try (LinkPair pair = open()) {
            for (int length : List.of(pair.maxFrame() + 1, 100_000, 1_000_003, Noise.LONGEST)) {
                ByteBuf body = pair.first.bodies.in(Bodies.Form.LINK, 77, Math.min(length, Noise.LONGEST));
                if (body.readableBytes() > pair.maxFrame()
                        && !pair.first.call(() -> pair.first.link.takesInPlace(body))) {
                    body.release();
                    continue;
                }
                CompletableFuture<Boolean> arrived = new CompletableFuture<>();
                int expected = body.readableBytes();
                pair.second.receive(frame -> arrived.complete(frame.body().readableBytes() == expected
                        && Noise.equal(5, frame.control())
                        && Noise.equal(77, frame.body())));
                pair.first.send(new Frame()
                        .set(FrameKind.DATA, 0, 1, 0)
                        .control(Noise.copy(5, 33))
                        .body(body));
                Await.until("a body of " + expected + " bytes arrives", arrived::isDone);
                assertThat(arrived.get()).as("its content").isTrue();
            }
        }
    }

    @Test
    default void slicesOfOneBufferTravelOnTheirOwn() throws Exception {
        try (LinkPair pair = open()) {
            int piece = 500;
            int count = 60;
            ByteBuf whole = pair.first.bodies.in(Bodies.Form.LINK, 0, piece * count);
            List<ByteBuf> kept = new ArrayList<>();
            pair.second.receive(frame -> {
                assertThat(frame.body().readableBytes()).isEqualTo(piece);
                assertThat(Noise.equal(frame.aux() * piece, frame.body())).isTrue();
                kept.add(frame.body().retain());
            });
            pair.first.sendAll(
                    (number, frame, bodies) -> {
                        int place = (int) (number * 37 % count);
                        data(frame, place, whole.retainedSlice(place * piece, piece));
                    },
                    count);
            pair.second.awaitReceived(count);
            assertThat(Noise.equal(0, whole))
                    .as("the buffer that the slices are of")
                    .isTrue();
            kept.forEach(ByteBuf::release);
            Await.until("only our own reference is left", () -> whole.refCnt() == 1);
            whole.release();
        }
    }

    @Test
    default void oneBufferCanBeSentManyTimes() throws Exception {
        try (LinkPair pair = open()) {
            ByteBuf body = pair.first.bodies.in(Bodies.Form.LINK, 9, 1_000);
            List<ByteBuf> kept = new ArrayList<>();
            pair.second.receive(frame -> {
                assertThat(frame.body().readableBytes()).isEqualTo(1_000);
                assertThat(Noise.equal(9, frame.body())).isTrue();
                kept.add(frame.body().retain());
            });
            for (int i = 0; i < 20; i++) {
                pair.first.send(body.retainedDuplicate());
            }
            pair.second.awaitReceived(20);
            kept.forEach(ByteBuf::release);
            Await.until("only our own reference is left", () -> body.refCnt() == 1);
            assertThat(Noise.equal(9, body)).isTrue();
            pair.first.send(body);
            pair.second.awaitReceived(21);
            kept.get(20).release();
        }
    }

    /**
     * As when one message is sent to several peers: who keeps a reference reads on, whatever becomes of the other ones.
     */
    @Test
    default void aBodyThatOthersHoldKeepsItsIndices() throws Exception {
        try (LinkPair pair = open()) {
            pair.second.receive(frame -> {
                assertThat(frame.body().readableBytes()).isEqualTo(frame.aux());
                assertThat(Noise.equal(21, frame.body())).isTrue();
                frame.body().skipBytes(frame.aux());
            });
            pair.first.receive(frame -> {});
            int sent = 0;
            for (int longest : new int[] {1, 100, 3_000, 10_000, 60_000}) {
                int length = Math.min(pair.maxFrame(), longest);
                for (Bodies.Form form : Bodies.Form.values()) {
                    ByteBuf body = pair.first.bodies.in(form, 21, length);
                    int readerIndex = body.readerIndex();
                    for (int i = 0; i < 3; i++) {
                        pair.first.send(
                                new Frame().set(FrameKind.DATA, 0, 1, length).body(body.retain()));
                    }
                    sent += 3;
                    pair.second.awaitReceived(sent);
                    assertThat(body.readerIndex())
                            .as("%s of %d bytes", form, length)
                            .isEqualTo(readerIndex);
                    assertThat(Noise.equal(21, body)).isTrue();
                    body.release();
                }
            }
        }
    }

    /** As above, through a link that is full, where a body is under way in pieces while it waits to be sent again. */
    @Test
    default void aBodyThatOthersHoldKeepsItsIndicesInAFullLink() throws Exception {
        try (LinkPair pair = open()) {
            int length = Math.min(pair.maxFrame(), 60_000);
            ByteBuf body = pair.first.bodies.in(Bodies.Form.DIRECT, 21, length);
            pair.second.receive(frame -> {
                assertThat(frame.body().readableBytes()).isEqualTo(length);
                assertThat(Noise.equal(21, frame.body())).isTrue();
                frame.body().skipBytes(length);
            });
            pair.first.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            Pump pump = pair.first.pump((number, frame, bodies) -> data(frame, number, body.retain()), Long.MAX_VALUE);
            Await.until("a no", pump::isWaiting);
            goOn.run();
            pair.second.awaitSome(pump.taken());
            pair.second.awaitReceived(pair.first.call(pump::finish));
            Await.until("only our own reference is left", () -> body.refCnt() == 1);
            assertThat(body.readableBytes()).isEqualTo(length);
            assertThat(Noise.equal(21, body)).isTrue();
            body.release();
        }
    }

    @Test
    default void anExhaustedPoolGivesOrdinaryMemoryAndRecovers() throws Exception {
        try (LinkPair pair = open()) {
            Queue<ByteBuf> held = new ConcurrentLinkedQueue<>();
            pair.second.receive(frame -> {
                assertThat(Noise.equal(frame.aux(), frame.body())).isTrue();
                held.add(frame.body().retain());
            });
            pair.first.receive(frame -> {});
            List<ByteBuf> blocks = allInPlace(pair.first);
            int count = blocks.size();
            for (int number = 0; number < count; number++) {
                assertThat(Noise.write(blocks.get(number), number, BLOCK).readableBytes())
                        .isEqualTo(BLOCK);
            }
            pair.first.sendAll((number, frame, bodies) -> data(frame, number, blocks.get((int) number)), count);
            pair.second.awaitReceived(count);
            for (int i = 0; i < 20; i++) {
                pair.first.send(pair.first.bodies.in(Bodies.Form.LINK, 0, Math.min(1_000, pair.maxFrame())));
            }
            pair.second.awaitReceived(count + 20);
            releaseInAnyOrder(pair.second, new ArrayList<>(held));
            Await.until(() -> "all " + count + " blocks are back in the pool", () -> {
                List<ByteBuf> again = allInPlace(pair.first);
                again.forEach(ByteBuf::release);
                return again.size() >= count;
            });
        }
    }

    private static void data(Frame frame, long number, ByteBuf body) {
        var unused = frame.set(FrameKind.DATA, 0, 1, (int) number).body(body);
    }

    /** Takes blocks until one does not lie in place any longer; that one works as well and is released. */
    private static List<ByteBuf> allInPlace(End end) {
        List<ByteBuf> blocks = new ArrayList<>();
        while (blocks.size() < MOST_BLOCKS) {
            ByteBuf block = end.link.allocator().directBuffer(BLOCK);
            if (!end.call(() -> end.link.takesInPlace(block))) {
                assertThat(Noise.equal(3, Noise.write(block, 3, BLOCK))).isTrue();
                block.release();
                return blocks;
            }
            blocks.add(block);
        }
        blocks.forEach(ByteBuf::release);
        throw new AssertionError(
                "memory of the link without an end: " + MOST_BLOCKS + " blocks of " + BLOCK + " bytes");
    }

    /** Some on the loop, some on a foreign thread, in an order of no meaning. */
    private static void releaseInAnyOrder(End end, List<ByteBuf> held) {
        Collections.shuffle(held, new Random(Seed.of("release")));
        int half = held.size() / 2;
        end.run(() -> held.subList(0, half).forEach(ByteBuf::release));
        held.subList(half, held.size()).forEach(ByteBuf::release);
    }

    @Test
    default void foreignThreadsAllocateAndReleaseWhileFramesFlow() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("busy", Math.min(pair.maxFrame(), 10_000));
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            Pump pump = pair.first.pump(stream, Long.MAX_VALUE);
            List<CompletableFuture<Void>> users = new ArrayList<>();
            for (int user = 0; user < 3; user++) {
                int mark = user + 1;
                users.add(CompletableFuture.runAsync(() -> useMemory(pair.first.link.allocator(), mark)));
            }
            for (CompletableFuture<Void> user : users) {
                user.get();
            }
            pair.second.awaitReceived(pair.first.call(pump::finish));
        }
    }

    /** Fails if two users are given the same memory. */
    private static void useMemory(ByteBufAllocator allocator, int mark) {
        Random random = new Random(mark);
        List<ByteBuf> mine = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            ByteBuf buffer = allocator.buffer(8 + random.nextInt(2_000));
            buffer.writeInt(mark).writeInt(i);
            mine.add(buffer);
            if (mine.size() > 8) {
                ByteBuf old = mine.remove(random.nextInt(mine.size()));
                assertThat(old.getInt(0)).as("a mark in memory of one's own").isEqualTo(mark);
                old.release();
            }
        }
        mine.forEach(ByteBuf::release);
    }

    @Test
    default void buffersOfTheAllocatorBehaveLikeAnyOther() throws Exception {
        try (LinkPair pair = open()) {
            ByteBufAllocator allocator = pair.first.link.allocator();
            for (ByteBuf buffer : List.of(
                    allocator.buffer(),
                    allocator.buffer(16),
                    allocator.directBuffer(16),
                    allocator.heapBuffer(16),
                    allocator.ioBuffer(16),
                    allocator.compositeBuffer())) {
                assertThat(Noise.equal(11, Noise.write(buffer, 11, 100_000)))
                        .as("after growing: %s", buffer)
                        .isTrue();
                assertThat(buffer.capacity(50_000).readableBytes()).isEqualTo(50_000);
                assertThat(Noise.equal(11, buffer))
                        .as("after shrinking: %s", buffer)
                        .isTrue();
                assertThat(buffer.discardReadBytes().release()).isTrue();
            }
            ByteBuf empty = allocator.buffer(0);
            pair.second.receive(frame -> assertThat(frame.body().isReadable()).isFalse());
            pair.first.send(empty);
            pair.second.awaitReceived(1);
        }
    }

    @Test
    default void whatWasReceivedCanBeSentOn() throws Exception {
        try (LinkPair pair = open()) {
            pair.second.receive(new Echo(pair.second)::answer);
            pair.first.receive(frame -> {
                assertThat(frame.body().readableBytes()).isEqualTo(frame.aux());
                assertThat(Noise.equal(frame.aux() % 100, frame.body())).isTrue();
            });
            int most = Math.min(pair.maxFrame(), BLOCK);
            for (int round = 1; round <= 50; round++) {
                int length = most * round / 50;
                ByteBuf body = pair.first.bodies.in(Bodies.Form.LINK, length % 100, length);
                pair.first.send(new Frame().set(FrameKind.DATA, 0, 1, length).body(body));
                pair.first.awaitReceived(round);
            }
        }
    }

    @Test
    default void memoryOutlivesTheLinkAndItsLoop() throws Exception {
        List<ByteBuf> received = new ArrayList<>();
        List<ByteBuf> unsent = new ArrayList<>();
        ByteBufAllocator allocator;
        try (LinkPair pair = open()) {
            int most = Math.min(pair.maxFrame(), BLOCK);
            allocator = pair.first.link.allocator();
            pair.second.receive(frame -> received.add(frame.body().retain()));
            pair.first.receive(frame -> {});
            for (int i = 0; i < 12; i++) {
                pair.first.send(Noise.write(allocator.buffer(most), i, most));
                unsent.add(Noise.write(allocator.buffer(most), 100 + i, most));
                pair.second.awaitReceived(i + 1);
            }
            pair.first.close();
            pair.second.close();
            Noise.write(allocator.buffer(1_000), 0, 1_000).release();
        }
        for (int i = 0; i < 12; i++) {
            assertThat(Noise.equal(i, received.get(i))).isTrue();
            assertThat(Noise.equal(100 + i, unsent.get(i))).isTrue();
            unsent.get(i).setByte(0, 1);
        }
        received.forEach(ByteBuf::release);
        unsent.forEach(ByteBuf::release);
        ByteBuf late = Noise.write(allocator.buffer(1_000), 0, 1_000);
        assertThat(Noise.equal(0, late)).isTrue();
        late.release();
    }

    @Test
    default void bodiesOfForeignMemoryAreNotTakenInPlaceByMistake() throws Exception {
        try (LinkPair pair = open()) {
            ByteBuf foreign = Unpooled.directBuffer(100).writeZero(100);
            ByteBuf others = Noise.write(pair.second.link.allocator().buffer(100), 0, 100);
            boolean ours = pair.first.call(() -> pair.first.link.takesInPlace(foreign));
            assertThat(ours && foreign.readableBytes() > pair.first.link.maxFrame())
                    .isFalse();
            pair.second.receive(
                    frame -> assertThat(frame.body().readableBytes()).isEqualTo(100));
            pair.first.send(foreign);
            pair.first.send(others);
            pair.second.awaitReceived(2);
        }
    }
}
