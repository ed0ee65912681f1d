package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InPlaceCodecTest {

    private static final InPlaceCodec<String> TEXT = (InPlaceCodec<String>) Codecs.text();
    private static final InPlaceCodec<byte[]> BYTES = (InPlaceCodec<byte[]>) Codecs.bytes();

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    @AfterEach
    void nothingIsLeft() {
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    /** A codec with nothing but what it must have: a long of which no byte is the same in all values. */
    private static final class Longs implements InPlaceCodec<Long> {

        @Override
        public int length(Long value) {
            return value < 0 ? 9 : 8;
        }

        @Override
        public void write(Long value, ContentView to) {
            if (value == 0) {
                throw new IllegalStateException("as the test wants");
            }
            to.putLong(to.length() - 8, value);
            if (value < 0) {
                to.putByte(0, (byte) '-');
            }
        }

        @Override
        public Long read(ContentView from) {
            if (from.length() != 8 && (from.length() != 9 || from.getByte(0) != '-')) {
                throw new ProtocolMismatch("no long");
            }
            return from.getLong(from.length() - 8);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0100000000000000", "-2, 2dfeffffffffffffff", "72623859790382856, 0807060504030201"})
    void encodesAndDecodesInOneBuffer(long value, String hex) {
        Longs codec = new Longs();
        ByteBuf payload = codec.encode(value, allocator);

        assertThat(ByteBufUtil.hexDump(payload)).isEqualTo(hex);
        assertThat(payload.alloc()).as("memory of the given allocator").isSameAs(allocator);
        assertThat(payload.refCnt()).isEqualTo(1);
        assertThat(codec.decode(payload)).isEqualTo(value);
        assertThat(payload.readerIndex()).as("not consumed").isZero();
        assertThat(payload.refCnt()).isEqualTo(1);
        payload.release();
    }

    @Test
    void decodesWhateverThePayloadLiesIn() {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
        ByteBuf amid = Unpooled.directBuffer(20).writeZero(3).writeBytes(bytes).skipBytes(3);
        ByteBuf parts = Unpooled.wrappedBuffer(Unpooled.copiedBuffer(bytes, 0, 3), Unpooled.copiedBuffer(bytes, 3, 5));
        for (ByteBuf payload : new ByteBuf[] {amid, parts, amid.retainedSlice(3, 8), amid.retainedDuplicate()}) {
            assertThat(new Longs().decode(payload)).isEqualTo(0x0807060504030201L);
            assertThat(payload.readableBytes()).isEqualTo(8);
            payload.release();
        }
        assertThat(amid.refCnt()).isZero();
    }

    @Test
    void aValueThatCantBeWrittenLeavesNothingAllocated() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new Longs().encode(0L, allocator))
                .withMessage("as the test wants");
    }

    @Test
    void whatIsNoSuchValueIsRefused() {
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[7]);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> new Longs().decode(payload))
                .withMessage("no long");
        assertThat(payload.readableBytes()).isEqualTo(7);
        assertThat(payload.refCnt()).isEqualTo(1);
        payload.release();
    }

    /** A codec whose values are long enough to be written and read in a buffer. */
    private static final class LongLongs implements InPlaceCodec<Long> {

        private static final int LENGTH = 5000;

        private @Nullable ContentView kept;

        @Override
        public int length(Long value) {
            return LENGTH;
        }

        @Override
        public void write(Long value, ContentView to) {
            kept = to;
            if (value == 0) {
                throw new IllegalStateException("as the test wants");
            }
            to.putBytes(0, new byte[LENGTH - 8]);
            to.putLong(LENGTH - 8, value);
        }

        @Override
        public Long read(ContentView from) {
            kept = from;
            long value = from.getLong(from.length() - 8);
            if (value < 0) {
                throw new ProtocolMismatch("no long");
            }
            return value;
        }

        void assertLentForTheCallOnly() {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> Objects.requireNonNull(kept).getByte(0))
                    .withMessageContaining("after the call of the codec");
        }
    }

    @Test
    void longValuesAreWrittenIntoTheBufferThatIsSent() {
        LongLongs codec = new LongLongs();
        ByteBuf payload = codec.encode(0x0807060504030201L, allocator);

        codec.assertLentForTheCallOnly();
        assertThat(payload.alloc()).as("memory of the given allocator").isSameAs(allocator);
        assertThat(payload.readableBytes()).isEqualTo(LongLongs.LENGTH);
        assertThat(ByteBufUtil.hexDump(payload, LongLongs.LENGTH - 9, 9)).isEqualTo("000102030405060708");
        payload.release();
    }

    /** Places where each byte is written, in this order; the others hold what somebody else was sent. */
    @ParameterizedTest
    @ValueSource(strings = {"", "0", "5, 3, 900", "999, 0", "7, 7, 8", "998, 999", "0, 1, 2, 500"})
    void whatIsLeftOutOfALongValueIsZero(String places) {
        int[] written = Stream.of(places.split(", "))
                .filter(place -> !place.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
        InPlaceCodec<int[]> codec = new InPlaceCodec<>() {
            @Override
            public int length(int[] value) {
                return 1000;
            }

            @Override
            public void write(int[] value, ContentView to) {
                for (int place : value) {
                    to.putByte(place, (byte) 1);
                }
            }

            @Override
            public int[] read(ContentView from) {
                return IntStream.range(0, from.length())
                        .filter(place -> from.getByte(place) != 0)
                        .toArray();
            }
        };
        ByteBuf used = used(0x55);
        ByteBuf payload = codec.encode(written, new OneBuffer(used));
        assertThat(payload).isSameAs(used);
        assertThat(codec.decode(payload))
                .containsExactly(Arrays.stream(written).distinct().sorted().toArray());
        payload.release();
    }

    /** A set of bits is written by reading, and reads none of what somebody else was sent. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 999})
    void whatIsReadWhileALongValueIsWrittenIsNobodyElses(int place) {
        InPlaceCodec<Integer> codec = new InPlaceCodec<>() {
            @Override
            public int length(Integer value) {
                return 1000;
            }

            @Override
            public void write(Integer value, ContentView to) {
                to.putByte(value, (byte) (to.getByte(value) | 1));
                to.putByte(999, (byte) (to.getByte(999) | 2));
            }

            @Override
            public Integer read(ContentView from) {
                return (int) from.getByte(place);
            }
        };
        ByteBuf used = used(0x54);
        ByteBuf payload = codec.encode(place, new OneBuffer(used));
        assertThat(codec.decode(payload)).isEqualTo(place == 999 ? 3 : 1);
        assertThat(payload.getByte(500)).isZero();
        payload.release();
    }

    /** Memory that is full of what somebody else was sent. */
    private ByteBuf used(int content) {
        byte[] bytes = new byte[1000];
        Arrays.fill(bytes, (byte) content);
        return allocator.buffer(bytes.length).writeBytes(bytes);
    }

    /** Whoever asks for memory gets this, with what it holds. */
    private static final class OneBuffer extends AbstractByteBufAllocator {

        private final ByteBuf buffer;

        OneBuffer(ByteBuf buffer) {
            super(false);
            this.buffer = buffer;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return buffer.clear();
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("nobody asks for it");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    void longValuesAreWrittenIntoMemoryInPieces() {
        LongLongs codec = new LongLongs();
        ByteBuf pieces = Unpooled.wrappedBuffer(
                        Unpooled.buffer(3000, 3000).writerIndex(3000),
                        Unpooled.buffer(2000, 2000).writerIndex(2000))
                .setIndex(0, 0);
        ByteBuf payload = codec.encode(0x0807060504030201L, new OneBuffer(pieces));
        assertThat(payload).isSameAs(pieces);
        assertThat(ByteBufUtil.hexDump(payload, LongLongs.LENGTH - 9, 9)).isEqualTo("000102030405060708");
        assertThat(codec.decode(payload)).isEqualTo(0x0807060504030201L);
        payload.release();
    }

    @Test
    void longValuesAreReadWhateverThePayloadLiesIn() {
        LongLongs codec = new LongLongs();
        byte[] bytes = new byte[LongLongs.LENGTH];
        bytes[LongLongs.LENGTH - 8] = 3;
        ByteBuf direct = Unpooled.directBuffer().writeZero(3).writeBytes(bytes).skipBytes(3);
        ByteBuf heap = Unpooled.buffer().writeZero(3).writeBytes(bytes).skipBytes(3);
        ByteBuf parts = Unpooled.wrappedBuffer(
                Unpooled.copiedBuffer(bytes, 0, 300), Unpooled.copiedBuffer(bytes, 300, bytes.length - 300));
        for (ByteBuf payload : new ByteBuf[] {direct, heap, parts, heap.retainedSlice(3, bytes.length)}) {
            assertThat(codec.decode(payload)).isEqualTo(3);
            codec.assertLentForTheCallOnly();
            assertThat(payload.readableBytes()).as("not consumed").isEqualTo(LongLongs.LENGTH);
            payload.release();
        }
        assertThat(heap.refCnt()).isZero();
    }

    @Test
    void aLongValueThatCantBeWrittenOrReadLeavesNothingAllocated() {
        LongLongs codec = new LongLongs();
        assertThatIllegalStateException().isThrownBy(() -> codec.encode(0L, allocator));
        codec.assertLentForTheCallOnly();

        ByteBuf payload = codec.encode(-1L, allocator);
        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> codec.decode(payload))
                .withMessage("no long");
        codec.assertLentForTheCallOnly();
        assertThat(payload.refCnt()).isEqualTo(1);
        payload.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "äöü", "€", "😀 and \uFFFD", "\0", "a longer text, of 32 bytes or more"})
    void textInPlaceIsTheSame(String text) {
        assertSame(TEXT, text);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 256, 257, 1000, 100_000})
    void bytesInPlaceAreTheSame(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        assertSame(BYTES, bytes);
    }

    @Test
    void bytesAreCopiedInPlaceToo() {
        ContentMemory memory = new ContentMemory(2);
        byte[] array = {1, 2};
        memory.write(BYTES, array, 2);
        array[0] = 9;
        memory.read(BYTES, 2)[1] = 9;

        assertThat(memory.bytes()).containsExactly(1, 2);
    }

    @ParameterizedTest
    @CsvSource({"'\uD83D', 0", "'ab\uDE00', 2", "'\uD83D\uDE00\uD83D!', 2", "'\uDE00\uD83D', 0"})
    void textThatUtf8CantSayHasNoLength(String text, int place) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TEXT.length(text))
                .withMessage("text of " + text.length() + " characters has half a surrogate pair at " + place
                        + ", which UTF-8 can't say");
    }

    @Test
    void randomTextInPlaceIsTheSameOrRefusedAsElsewhere() {
        int refused = 0;
        for (long seed = 1; seed <= 5000; seed++) {
            String text = text(new Random(seed));
            if (UTF_8.newEncoder().canEncode(text)) {
                assertSame(TEXT, text);
                continue;
            }
            refused++;
            assertThatIllegalArgumentException()
                    .as("seed %d", seed)
                    .isThrownBy(() -> TEXT.length(text))
                    .withMessage(refusal(text));
        }
        assertThat(refused).isBetween(1000, 4000);
    }

    private String refusal(String text) {
        try {
            TEXT.encode(text, allocator).release();
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        throw new AssertionError("was encoded");
    }

    /** All lengths of characters in UTF-8, pairs of surrogates, and now and then half of one. */
    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(40); i > 0; i--) {
            int character = switch (random.nextInt(5)) {
                case 0 -> 0x80 + random.nextInt(0x780);
                case 1 -> 0x800 + random.nextInt(0xd000);
                case 2 -> 0x10000 + random.nextInt(0x100000);
                case 3 -> random.nextInt(8) == 0 ? 0xd800 + random.nextInt(0x800) : 0xe000 + random.nextInt(0x2000);
                default -> random.nextInt(0x80);
            };
            text.appendCodePoint(character);
        }
        return text.toString();
    }

    @Test
    void randomBytesAreReadAsTextOrRefusedAsElsewhere() {
        int refused = 0;
        for (long seed = 1; seed <= 5000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = text(random).getBytes(UTF_8);
            if (bytes.length > 0 && random.nextBoolean()) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            ContentMemory memory = new ContentMemory(bytes.length);
            memory.write(BYTES, bytes, bytes.length);
            try {
                String expected =
                        UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
                assertThat(memory.read(TEXT, bytes.length)).as("seed %d", seed).isEqualTo(expected);
            } catch (CharacterCodingException e) {
                refused++;
                assertThatExceptionOfType(ProtocolMismatch.class)
                        .as("seed %d", seed)
                        .isThrownBy(() -> memory.read(TEXT, bytes.length));
            }
        }
        assertThat(refused).isBetween(500, 4500);
    }

    /** The same bytes as encoded, in memory that held something else before, and the same value back. */
    private <T> void assertSame(InPlaceCodec<T> codec, T value) {
        ByteBuf payload = codec.encode(value, allocator);
        try {
            byte[] expected = ByteBufUtil.getBytes(payload);
            assertThat(codec.length(value)).as("length of %s", value).isEqualTo(expected.length);
            ContentMemory memory = new ContentMemory(expected.length + 5);
            Arrays.fill(memory.bytes(), (byte) 0x55);
            memory.write(codec, value, expected.length);
            assertThat(Arrays.copyOf(memory.bytes(), expected.length))
                    .as("%s", value)
                    .isEqualTo(expected);
            assertThat(Arrays.copyOfRange(memory.bytes(), expected.length, expected.length + 5))
                    .containsOnly(0x55);
            assertThat(memory.read(codec, expected.length)).isEqualTo(value);
            assertThat(codec.decode(payload)).isEqualTo(value);
        } finally {
            payload.release();
        }
    }
}
