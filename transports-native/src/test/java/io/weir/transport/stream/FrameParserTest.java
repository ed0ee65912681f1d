package io.weir.transport.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class FrameParserTest {

    private static final int[] SIZES = {0, 1, 7, 8, 9, 100, 2047, 2048, 2049, 8192, 20_000, 65_000, 65_536};

    /** Without Netty's leak detection, which remembers each single access: here leaks are counted. */
    private static final UnpooledByteBufAllocator UNWATCHED = new UnpooledByteBufAllocator(true, true);

    /** Bytes that tcp reads at once. */
    private static final int READ = 128 << 10;

    private final LoopBuffers small = new LoopBuffers();
    private final UnpooledByteBufAllocator large = new UnpooledByteBufAllocator(true, true);
    private final List<String> seen = new ArrayList<>();
    private boolean wants = true;
    /** The sink asks for bodies that are lent; how many were. */
    private boolean lends;

    private int lent;

    private FrameParser parser(boolean greeted) {
        return new FrameParser(new Greeting("what connected from tcp://h:1", greeted), small, large, frame -> {
            if (frame.isLent()) {
                lent++;
            }
            seen.add(describe(frame));
            frame.release();
            if (lends) {
                frame.lendNext();
            }
            return wants;
        });
    }

    @AfterEach
    void everythingIsReleased() {
        assertThat(small.outstanding()).isZero();
        assertThat(large.metric().usedDirectMemory()).isZero();
        assertThat(large.metric().usedHeapMemory()).isZero();
    }

    private static String describe(Frame frame) {
        int words = frame.kind().words();
        return frame + " " + (words > 0 ? frame.first() : "-") + ' ' + (words > 1 ? frame.second() : "-") + ' '
                + Arrays.hashCode(frame.control()) + ' '
                + ByteBufUtil.hashCode(frame.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"160301020001", "150303000202"})
    void tellsTlsFromOtherStrangers(String begin) {
        ByteBuf bytes = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(begin));
        assertThatThrownBy(() -> parser(false).parse(bytes))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("what connected from tcp://h:1 speaks TLS, which is off here; set weir.tls alike on both"
                        + " sides");
    }

    /** As it stands on the wire. */
    public static ByteBuf wire(Frame frame) {
        ByteBuf bytes = Unpooled.buffer();
        bytes.writeLongLE(frame.word0()).writeLongLE(frame.word1());
        if (frame.kind().words() > 0) {
            bytes.writeLongLE(frame.first());
        }
        if (frame.kind().words() > 1) {
            bytes.writeLongLE(frame.second());
        }
        bytes.writeBytes(frame.control()).writeBytes(frame.body().duplicate());
        return bytes.writeZero(FrameLayout.align(frame.length()) - frame.length());
    }

    public static ByteBuf hello() {
        return wire(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(ascii("WEIR, and more")));
    }

    private static ByteBuf ascii(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static Frame random(SplittableRandom random) {
        FrameKind[] kinds = FrameKind.values();
        int length = SIZES[random.nextInt(SIZES.length)];
        byte[] control =
                new byte[random.nextInt(4) == 0 ? random.nextInt(Math.min(length, FrameLayout.MAX_CONTROL) + 1) : 0];
        byte[] body = new byte[length - control.length];
        random.nextBytes(control);
        random.nextBytes(body);
        return new Frame()
                .set(kinds[random.nextInt(kinds.length)], random.nextInt(16), random.nextInt(), random.nextInt())
                .words(random.nextLong(), random.nextLong())
                .control(control)
                .body(Unpooled.wrappedBuffer(body));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void readsTheSameFramesWhereverTheStreamIsCut(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuf stream = hello();
        List<String> sent = new ArrayList<>(
                List.of(describe(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(ascii("WEIR, and more")))));
        for (int i = 0; i < 60; i++) {
            Frame frame = random(random);
            sent.add(describe(frame));
            stream.writeBytes(wire(frame));
        }
        FrameParser parser = parser(false);
        while (stream.isReadable()) {
            int most = seed == 1 ? 1 : seed < 4 ? 20 : 1 << random.nextInt(18);
            cut(parser, stream, 1 + random.nextInt(most));
        }
        assertThat(seen).isEqualTo(sent);
        assertThat(parser.isWithinFrame()).isFalse();
    }

    /** What is lent is what would have come in a buffer, whoever asks for it, and however often. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void lendsTheSameToWhoeverAsksForIt(int seed) {
        lends = true;
        readsTheSameFramesWhereverTheStreamIsCut(seed);
    }

    @Test
    void lendsWhatIsShortAndWholeOnceItIsAskedTo() {
        Frame frame = new Frame().set(FrameKind.DATA, 0, 3, 4).body(ascii("1234567"));
        Frame longest = new Frame().set(FrameKind.DATA, 0, 3, 4).body(Unpooled.buffer(LoopBuffers.LARGEST + 1));
        longest.body().writerIndex(LoopBuffers.LARGEST + 1);
        FrameParser parser = parser(true);
        parser.parse(wire(frame));
        assertThat(lent).isZero();
        lends = true;
        parser.parse(wire(frame).writeBytes(wire(frame)).writeBytes(wire(longest)));
        assertThat(lent).as("from when it was asked").isEqualTo(1);
        parser.parse(wire(frame).writeBytes(wire(frame)));
        assertThat(lent).isEqualTo(3);
        cut(parser, wire(frame), FrameLayout.HEADER + 2);
        cut(parser, wire(frame).skipBytes(FrameLayout.HEADER + 2), 100);
        assertThat(lent).as("not what was cut").isEqualTo(3);
        assertThat(seen).hasSize(7);
    }

    /** Each piece comes in a buffer of its own, as from a socket. */
    private static void cut(FrameParser parser, ByteBuf stream, int length) {
        ByteBuf piece = UNWATCHED.directBuffer(READ);
        piece.writeBytes(stream, Math.min(length, stream.readableBytes()));
        try {
            parser.parse(piece);
            assertThat(piece.isReadable()).isFalse();
        } finally {
            piece.release();
        }
    }

    @Test
    void stopsWhereTheSinkWantsNoMoreAndGoesOnLater() {
        ByteBuf stream = hello();
        Frame frame = new Frame().set(FrameKind.DATA, 0, 3, 4).body(ascii("1234567"));
        stream.writeBytes(wire(frame)).writeBytes(wire(frame));
        FrameParser parser = parser(false);
        wants = false;
        for (int i = 1; i <= 3; i++) {
            parser.parse(stream);
            assertThat(seen).hasSize(i);
        }
        parser.parse(stream);
        assertThat(seen).hasSize(3);
        assertThat(stream.isReadable()).isFalse();
        assertThat(parser.isWithinFrame()).isFalse();
    }

    @Test
    void clearsTheFlagsOfLinksAndSkipsWhatIsOptional() {
        FrameParser parser = parser(true);
        ByteBuf stream = Unpooled.buffer()
                .writeLongLE(FrameLayout.word0(FrameKind.OPTIONAL + 7, 0, 0, 13))
                .writeLongLE(0)
                .writeZero(16)
                .writeBytes(wire(new Frame().set(FrameKind.DATA, 0xff, 1, 2).body(ascii("x"))));
        while (stream.isReadable()) {
            cut(parser, stream, 5);
        }
        assertThat(seen)
                .containsExactly(
                        describe(new Frame().set(FrameKind.DATA, 0x0f, 1, 2).body(ascii("x"))));
    }

    @Test
    void passesLongBodiesOnWithinTheReadBufferAndCopiesOthers() {
        List<ByteBuf> bodies = new ArrayList<>();
        FrameParser parser = new FrameParser(new Greeting("", true), small, large, frame -> bodies.add(frame.body()));
        ByteBuf read = large.directBuffer(READ, READ);
        for (int length : new int[] {10, READ / 4 - 1, READ / 4}) {
            read.writeBytes(
                    wire(new Frame().set(FrameKind.DATA, 0, 1, 0).body(Unpooled.wrappedBuffer(new byte[length]))));
        }
        parser.parse(read);
        assertThat(read.refCnt()).as("only the third body keeps the buffer").isEqualTo(2);
        read.release();
        assertThat(bodies).extracting(ByteBuf::readableBytes).containsExactly(10, READ / 4 - 1, READ / 4);
        bodies.forEach(ByteBuf::release);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET / HTTP/1.1\\r\\nHost: x | it sent 'GET / HTTP/1.1\\x0d\\x0a…'",
                "GET / | it sent 'GET /'",
                "SSH-2.0-OpenSSH_9.2 | it sent 'SSH-2.0-OpenSSH_…'",
                "\\030\\003\\001\\002\\000\\001 | it sent '\\x18\\x03\\x01\\x02\\x00\\x01'"
            })
    void tellsAStrangerByItsFirstBytes(String text, String message) {
        byte[] bytes = text.translateEscapes().getBytes(StandardCharsets.ISO_8859_1);
        FrameParser parser = parser(false);
        assertThatThrownBy(() -> parser.parse(Unpooled.wrappedBuffer(bytes)))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageStartingWith("what connected from tcp://h:1 does not speak Weir: ")
                .hasMessageContaining(message);
        parser.release();
    }

    @Test
    void recognisesAStrangerByteByByteAsSoonAsPossible() {
        FrameParser parser = parser(false);
        byte[] bytes = "GET /".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 3; i++) {
            parser.parse(Unpooled.wrappedBuffer(bytes, i, 1));
        }
        assertThat(parser.strangerAtEnd()).hasMessageContaining("it sent 'GET'");
        assertThatThrownBy(() -> parser.parse(Unpooled.wrappedBuffer(bytes, 3, 1)))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("it sent 'GET '");
    }

    @Test
    void acceptsNothingButAHelloOrARefusalAtFirst() {
        assertStranger(wire(new Frame().set(FrameKind.DATA, 0, 1, 0).body(ascii("WEIR"))));
        assertStranger(wire(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(ascii("WAIR"))));
        assertStranger(wire(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(ascii("WEI"))));
        assertStranger(wire(new Frame().set(FrameKind.HELLO, 0, 0, 0)));
        assertStranger(wire(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(Unpooled.wrappedBuffer(new byte[4097]))));
        FrameParser refused = parser(false);
        refused.parse(wire(new Frame().set(FrameKind.REFUSE, 0, 0, 0).body(ascii("go away"))));
        assertThat(seen).hasSize(1);
        assertThatThrownBy(() -> refused.parse(wire(new Frame().set(FrameKind.DATA, 0, 1, 0))))
                .isInstanceOf(ProtocolMismatch.class);
    }

    private void assertStranger(ByteBuf bytes) {
        FrameParser parser = parser(false);
        assertThatThrownBy(() -> parser.parse(bytes))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("does not speak Weir");
        parser.release();
        assertThat(seen).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "34, 0, -1, 'a frame of 4294967295 bytes, where 65536 are the most'",
        "34, 0, 65537, 'a frame of 65537 bytes, where 65536 are the most'",
        "34, 0, -2147483648, 'a frame of 2147483648 bytes, where 65536 are the most'",
        "34, 9, 8, 'a frame of 8 bytes with 9 bytes of control data'",
        "0, 0, 8, 'a frame of the unknown kind 0'",
        "99, 0, 8, 'a frame of the unknown kind 99'",
        "200, 9, 8, 'a frame of 8 bytes with 9 bytes of control data'"
    })
    void refusesABrokenHeader(int kind, int control, int length, String message) {
        FrameParser parser = parser(true);
        ByteBuf header = Unpooled.buffer()
                .writeLongLE(FrameLayout.word0(kind, 0, control, length))
                .writeLongLE(0);
        assertThatThrownBy(() -> parser.parse(header))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessage("what connected from tcp://h:1 broke the protocol: it sent " + message);
    }

    @Test
    void takesNoMoreMemoryThanOneFrameForAnyBytes() {
        for (int seed = 0; seed < 1_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ByteBuf stream = stream(random);
            FrameParser parser = parser(random.nextBoolean());
            try {
                while (stream.isReadable()) {
                    cut(parser, stream, 1 + random.nextInt(3_000));
                    assertThat(large.metric().usedDirectMemory()).isLessThanOrEqualTo(Greeting.MAX_FRAME);
                }
            } catch (ProtocolMismatch e) {
                assertThat(e.getMessage()).startsWith("what connected from tcp://h:1 ");
            }
            parser.release();
            assertThat(small.outstanding()).as("seed %s", seed).isZero();
            assertThat(large.metric().usedDirectMemory()).as("seed %s", seed).isZero();
        }
    }

    /** Noise, or frames of which some bytes were changed, or frames that are cut off. */
    private static ByteBuf stream(SplittableRandom random) {
        ByteBuf stream = Unpooled.buffer();
        int form = random.nextInt(3);
        if (form == 0) {
            byte[] noise = new byte[random.nextInt(5_000)];
            random.nextBytes(noise);
            return stream.writeBytes(noise);
        }
        stream.writeBytes(hello());
        for (int i = random.nextInt(5); i >= 0; i--) {
            stream.writeBytes(wire(random(random)));
        }
        if (form == 1) {
            for (int i = random.nextInt(20); i >= 0; i--) {
                stream.setByte(random.nextInt(Math.min(200, stream.writerIndex())), random.nextInt());
            }
        }
        return stream.writerIndex(random.nextInt(stream.writerIndex() + 1));
    }

    @Test
    void whatAHandlerThrowsComesThrough() {
        FrameParser parser = new FrameParser(new Greeting("", true), small, large, frame -> {
            frame.release();
            throw new IllegalStateException("thrown by the handler");
        });
        assertThatThrownBy(() -> parser.parse(
                        wire(new Frame().set(FrameKind.DATA, 0, 1, 0).body(ascii("x")))))
                .hasMessage("thrown by the handler");
        parser.release();
    }
}
