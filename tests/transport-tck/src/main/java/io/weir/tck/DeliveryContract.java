package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames come out whole, in order and once, whatever they are. */
interface DeliveryContract extends LinkPairs {

    @Test
    default void saysWhatItIs() throws Exception {
        try (LinkPair pair = open()) {
            assertThat(pair.first.link.transport()).matches("[a-z0-9]+").isEqualTo(pair.second.link.transport());
            assertThat(pair.first.link.maxFrame()).isGreaterThanOrEqualTo(1024);
            assertThat(pair.second.link.maxFrame()).isGreaterThanOrEqualTo(1024);
        }
    }

    @Test
    default void carriesEveryKindWithExtremeNumbers() throws Exception {
        int[] numbers = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE};
        long[] words = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x0102030405060708L};
        List<Frame> frames = new ArrayList<>();
        for (FrameKind kind : FrameStream.KINDS) {
            for (int number : numbers) {
                for (long word : words) {
                    int flags = frames.size() & ~Frame.LINK_FLAGS & 0xff;
                    frames.add(new Frame().set(kind, flags, number, ~number).words(word, ~word));
                }
            }
        }
        try (LinkPair pair = open()) {
            pair.second.receive(frame ->
                    assertThat(words(frame)).isEqualTo(words(frames.get((int) pair.second.received() - 1))));
            Pump pump =
                    pair.first.pump((number, frame, bodies) -> copy(frames.get((int) number), frame), frames.size());
            pair.second.awaitReceived(frames.size());
            assertThat(pump.taken()).isEqualTo(frames.size());
        }
    }

    private static List<Object> words(Frame frame) {
        long first = frame.kind().words() > 0 ? frame.first() : 0;
        long second = frame.kind().words() > 1 ? frame.second() : 0;
        return List.of(frame.word0(), frame.word1(), first, second, frame.kind());
    }

    private static void copy(Frame from, Frame into) {
        var unused = into.set(from.kind(), from.flags(), from.channel(), from.aux())
                .words(from.first(), from.second())
                .body(Unpooled.EMPTY_BUFFER);
    }

    @Test
    default void carriesEverySizeUpToTheLongestFrame() throws Exception {
        try (LinkPair pair = open()) {
            int most = pair.maxFrame();
            List<int[]> sizes = new ArrayList<>();
            for (int length : edges(most)) {
                for (int control : edges(Math.min(length, FrameLayout.MAX_CONTROL))) {
                    boolean edge = control < 10 || length - control < 10;
                    if (length < 300 || (edge && (length < 70_000 || control % 7 == 0))) {
                        sizes.add(new int[] {control, length - control});
                    }
                }
            }
            pair.second.receive(frame -> {
                int[] size = sizes.get((int) pair.second.received() - 1);
                assertThat(frame.control()).hasSize(size[0]);
                assertThat(Noise.equal(size[1] % 1000, frame.control()))
                        .as("control data")
                        .isTrue();
                assertThat(frame.body().readableBytes()).isEqualTo(size[1]);
                assertThat(Noise.equal(size[0] % 1000, frame.body())).as("body").isTrue();
            });
            pair.first.sendAll(
                    (number, frame, bodies) -> {
                        int[] size = sizes.get((int) number);
                        frame(frame, Noise.copy(size[1] % 1000, size[0]), bodies.any(size[0] % 1000, size[1]));
                    },
                    sizes.size());
            pair.second.awaitReceived(sizes.size());
        }
    }

    private static void frame(Frame frame, byte[] control, ByteBuf body) {
        var unused = frame.set(FrameKind.DATA, 0, 1, 0).control(control).body(body);
    }

    /** Every small number, and the neighbours of each power of two and of the end. */
    private static List<Integer> edges(int most) {
        List<Integer> edges = new ArrayList<>();
        for (int i = 0; i <= most; i++) {
            int power = Integer.highestOneBit(i);
            if (i < 34 || i - power < 2 || 2 * power - i < 9 || most - i < 18) {
                edges.add(i);
            } else {
                i = Math.min(2 * power - 9, most - 18);
            }
        }
        return edges;
    }

    @Test
    default void keepsOrderAndContentBothWaysAtOnce() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream there = FrameStream.mixed("there", pair.maxFrame());
            FrameStream back = FrameStream.mixed("back", pair.maxFrame());
            long countThere = there.count(Effort.of(48 << 20), 300, Effort.of(10_000));
            long countBack = back.count(Effort.of(48 << 20), 300, Effort.of(10_000));
            pair.second.expect(there);
            pair.first.expect(back);
            Pump pumpThere = pair.first.pump(there, countThere);
            Pump pumpBack = pair.second.pump(back, countBack);
            pair.second.awaitReceived(countThere);
            pair.first.awaitReceived(countBack);
            Await.until("both pumps know that all has been taken", () -> pumpThere.done() && pumpBack.done());
        }
    }

    @Test
    default void carriesManySmallFrames() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = new FrameStream(
                    Seed.of("small"), Sizes.mostly(Sizes.exactly(0), Sizes.upTo(40), 10), Sizes.upTo(64), 1024);
            pair.second.expect(stream);
            int frames = Effort.of(60_000);
            Pump pump = pair.first.pump(stream, frames);
            pair.second.awaitReceived(frames);
            assertThat(pump.uselessCalls())
                    .as("calls of writable() without room")
                    .isLessThan(frames);
        }
    }

    @Test
    default void whatWasDeliveredStaysAsItIs() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("kept", Math.min(pair.maxFrame(), 20_000));
            List<byte[]> controls = new ArrayList<>();
            List<ByteBuf> bodies = new ArrayList<>();
            pair.second.receive(frame -> {
                stream.check(pair.second.received() - 1, frame);
                if (controls.size() < 400) {
                    controls.add(frame.control());
                    bodies.add(frame.body().retain());
                }
            });
            pair.first.sendAll(stream, 3_000);
            pair.second.awaitReceived(3_000);
            for (int i = 0; i < controls.size(); i++) {
                stream.checkControl(i, controls.get(i));
                stream.checkBody(i, bodies.get(i));
            }
            bodies.forEach(ByteBuf::release);
        }
    }

    @Test
    default void takesAnswersFromWithinTheHandler() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("asked", Math.min(pair.maxFrame(), 4_000));
            Echo echo = new Echo(pair.second);
            pair.second.receive(echo::answer);
            Pump asking = pair.first.pump(stream, 0);
            pair.first.receive(frame -> {
                stream.check(pair.first.received() - 1, frame);
                asking.upTo(Math.min(10_000, pair.first.received() + 64));
            });
            pair.first.run(() -> asking.upTo(64));
            pair.first.awaitReceived(10_000);
            assertThat(echo.mostHeld()).isLessThanOrEqualTo(64);
        }
    }

    @Test
    default void framesWaitForTheFirstHandler() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("waiting", 100);
            pair.first.sendAll(stream, 3);
            pair.second.pass(100);
            pair.second.expect(stream);
            pair.second.awaitReceived(3);
        }
    }

    @Test
    default void goesOnWithAnotherHandlerAlsoFromWithinAFrame() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("moved", 50);
            End second = new End("the second handler of the second side", pair.second.link, pair.second.loop);
            second.sink(frame -> stream.check(10 + second.received() - 1, frame));
            pair.second.receive(frame -> {
                stream.check(pair.second.received() - 1, frame);
                if (pair.second.received() == 10) {
                    pair.second.link.handler(second);
                }
            });
            pair.first.sendAll(stream, 500);
            second.awaitReceived(490);
            assertThat(pair.second.received()).isEqualTo(10);
            pair.first.close();
            assertThat(second.awaitLost()).isNotNull();
            assertThat(pair.second.lost())
                    .as("told to the handler that was replaced")
                    .isNull();
        }
    }

    @Test
    default void refusesWhatItCantTakeAndGoesOn() throws Exception {
        try (LinkPair pair = open()) {
            int most = pair.first.link.maxFrame();
            pair.second.expect(FrameStream.uniform("after", 10));
            refuses(pair.first, new byte[0], most + 1);
            refuses(pair.first, new byte[1], most);
            refuses(pair.first, new byte[Math.min(most, 0xffff)], most + 1 - Math.min(most, 0xffff));
            refuses(pair.first, new byte[0x10000], 0);
            pair.first.sendAll(FrameStream.uniform("after", 10), 5);
            pair.second.awaitReceived(5);
        }
    }

    private static void refuses(End end, byte[] control, int length) {
        ByteBuf body = end.bodies.huge(length);
        Frame frame = new Frame().set(FrameKind.DATA, 0, 1, 0).control(control).body(body);
        assertThatThrownBy(() -> end.run(() -> {
                    var unused = end.offer(frame);
                }))
                .as("%s with frames of at most %d", frame, end.link.maxFrame())
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(body.refCnt()).isEqualTo(1);
        assertThat(body.readableBytes()).isEqualTo(length);
        body.release();
    }

    @Test
    default void takesPiecesOfFilesOrRefusesThem(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("noise"), Noise.copy(0, 100_000));
        try (LinkPair pair = open()) {
            pair.second.receive(frame -> assertThat(Noise.equal(frame.aux(), frame.body())
                            && frame.body().readableBytes() == frame.channel())
                    .isTrue());
            if (!pair.first.call(pair.first.link::takesRegions)) {
                refusesRegion(pair.first, file);
                return;
            }
            int most = Math.min(30_000, pair.maxFrame());
            pair.first.sendAll((number, frame, bodies) -> piece(frame, file, (int) number * 7, most), 20);
            pair.second.awaitReceived(20);
        }
    }

    private static void refusesRegion(End end, Path file) {
        FileRegion region = new DefaultFileRegion(file.toFile(), 0, 10);
        Frame frame = new Frame().set(FrameKind.DATA, 0, 1, 0).region(region);
        assertThatThrownBy(() -> end.run(() -> {
                    var unused = end.offer(frame);
                }))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(region.refCnt()).isEqualTo(1);
        region.release();
    }

    private static void piece(Frame frame, Path file, int place, int length) {
        var unused =
                frame.set(FrameKind.DATA, 0, length, place).region(new DefaultFileRegion(file.toFile(), place, length));
    }
}
