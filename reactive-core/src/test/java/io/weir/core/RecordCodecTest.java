package io.weir.core;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordCodecTest {

    enum Side {
        BUY,
        SELL {
            @Override
            public String toString() {
                return "a class of its own";
            }
        }
    }

    private record Numbers(
            boolean yes, byte bytes, short shorts, char letter, int ints, long longs, float floats, double doubles) {}

    record Order(
            int id,
            @Nullable String symbol,
            Side side,
            Numbers numbers,
            @Nullable String remark,
            boolean last) {}

    record Texts(String first, @Nullable String second, String third) {}

    record Range(int from, int to) {

        Range {
            if (from > to) {
                throw new IllegalArgumentException("from " + from + " to " + to);
            }
        }
    }

    record Ranges(Range one, Range other, Inner inner) {

        record Inner(String text, Range range) {}
    }

    record Nothing() {}

    private static final Numbers NUMBERS =
            new Numbers(true, (byte) -2, (short) 0x8102, '\u20ac', 0x81020304, 0x8102030405060708L, -1.5f, -0.1);
    private static final Order ORDER = new Order(7, "Äö", Side.SELL, NUMBERS, null, false);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    @AfterEach
    void nothingIsLeft() {
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    private static <R extends Record> InPlaceCodec<R> codec(Class<R> type) {
        return (InPlaceCodec<R>) Codecs.record(type);
    }

    @SuppressWarnings("unchecked")
    private static <R extends Record> InPlaceCodec<R> codecOf(R value) {
        return codec((Class<R>) value.getClass());
    }

    private static byte[] bytes(Record value) {
        InPlaceCodec<Record> codec = codecOf(value);
        ContentMemory memory = new ContentMemory(codec.length(value) + 4);
        Arrays.fill(memory.bytes(), (byte) 0x55);
        int length = codec.length(value);
        memory.write(codec, value, length);
        assertThat(Arrays.copyOfRange(memory.bytes(), length, length + 4)).containsOnly(0x55);
        return Arrays.copyOf(memory.bytes(), length);
    }

    private static <R extends Record> R read(Class<R> type, byte[] bytes) {
        ContentMemory memory = new ContentMemory(bytes.length);
        System.arraycopy(bytes, 0, memory.bytes(), 0, bytes.length);
        return memory.read(codec(type), bytes.length);
    }

    private static byte[] hex(String hex) {
        return ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
    }

    @Test
    void theFixedPartIsThatOfTheDeclarationAndTextsFollow() {
        byte[] golden = hex(
                "07000000" // id
                        + "04000000" // length of symbol
                        + "01000000" // side
                        + "01" + "fe" + "0281" + "ac20" + "04030281" + "0807060504030281" + "0000c0bf"
                        + "9a9999999999b9bf"
                        + "ffffffff" // no remark
                        + "00" // last
                        + "c384c3b6"); // symbol

        assertThat(bytes(ORDER)).isEqualTo(golden);
        assertThat(read(Order.class, golden)).isEqualTo(ORDER);
    }

    @Test
    void textsFollowInOrder() {
        byte[] golden = hex("01000000 00000000 02000000 61 6263");

        assertThat(bytes(new Texts("a", "", "bc"))).isEqualTo(golden);
        assertThat(read(Texts.class, golden)).isEqualTo(new Texts("a", "", "bc"));
        assertThat(read(Texts.class, hex("ffffffff ffffffff ffffffff"))).isEqualTo(new Texts(null, null, null));
    }

    @Test
    void aRecordInARecordLiesInItsPlace() {
        Ranges ranges = new Ranges(new Range(1, 2), new Range(3, 4), new Ranges.Inner("x", new Range(5, 6)));
        byte[] golden = hex("01000000 02000000 03000000 04000000 01000000 05000000 06000000 78");

        assertThat(bytes(ranges)).isEqualTo(golden);
        assertThat(read(Ranges.class, golden)).isEqualTo(ranges);
    }

    @Test
    void aRecordWithoutComponentsIsEmpty() {
        assertThat(bytes(new Nothing())).isEmpty();
        assertThat(read(Nothing.class, new byte[0])).isEqualTo(new Nothing());
        refuses(
                Nothing.class,
                new byte[1],
                "a payload of 1 bytes is not the record " + Nothing.class.getName()
                        + ": with the texts it would have 0");
    }

    @Test
    void comesBackFromABufferToo() {
        ByteBuf payload = Codecs.record(Order.class).encode(ORDER, allocator);

        assertThat(ByteBufUtil.getBytes(payload)).isEqualTo(bytes(ORDER));
        assertThat(Codecs.record(Order.class).decode(payload)).isEqualTo(ORDER);
        payload.release();
    }

    @Test
    void extremesComeBack() {
        assertComesBack(new Numbers(
                false, Byte.MIN_VALUE, Short.MAX_VALUE, '\uffff', -1, Long.MIN_VALUE, Float.NaN, Double.MIN_VALUE));
        assertComesBack(new Numbers(true, Byte.MAX_VALUE, (short) -1, '\0', 0, -1, -0.0f, Double.NEGATIVE_INFINITY));
        assertComesBack(new Order(0, "", Side.BUY, NUMBERS, "😀 and \uFFFD".repeat(500), true));
        assertComesBack(new Texts("€", "\0", "ä"));
    }

    @Test
    void randomValuesComeBack() {
        for (long seed = 1; seed <= 2000; seed++) {
            assertComesBack(order(new Random(seed)));
        }
    }

    private static Order order(Random random) {
        Numbers numbers = new Numbers(
                random.nextBoolean(),
                (byte) random.nextInt(),
                (short) random.nextInt(),
                (char) random.nextInt(),
                random.nextInt(),
                random.nextLong(),
                random.nextFloat(),
                random.nextDouble());
        return new Order(
                random.nextInt(),
                text(random),
                random.nextBoolean() ? Side.BUY : Side.SELL,
                numbers,
                text(random),
                random.nextBoolean());
    }

    private static @Nullable String text(Random random) {
        String all = "plain, äöü, € and 😀";
        int end = random.nextInt(all.length());
        return random.nextInt(5) == 0 ? null : all.substring(0, Character.isLowSurrogate(all.charAt(end)) ? 0 : end);
    }

    private static void assertComesBack(Record value) {
        assertThat((Object) read(value.getClass().asSubclass(Record.class), bytes(value)))
                .isEqualTo(value);
    }

    @Test
    void everyOtherLengthIsRefused() {
        byte[] good = bytes(ORDER);
        for (int length = 0; length < good.length + 9; length++) {
            if (length != good.length) {
                refuses(
                        Order.class,
                        Arrays.copyOf(good, length),
                        "a payload of " + length + " bytes is not the record " + Order.class.getName()
                                + (length < good.length - 4
                                        ? ": its fixed part alone has " + (good.length - 4)
                                        : ": with the texts it would have " + good.length));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "feffffff 00000000 00000000|a text can't have -2 bytes",
                "00000000 00000080 00000000|a text can't have -2147483648 bytes",
                "ffffff7f 00000000 00000000|with the texts it would have 2147483659",
                "ffffff7f ffffff7f 0e000000|with the texts it would have 4294967320",
                "ffffff7f ffffff7f 02000000|with the texts it would have 4294967308",
                "01000000 00000000 00000000|with the texts it would have 13",
                "ffffffff ffffffff ffffffff 00|with the texts it would have 12",
            })
    void claimsOfTextsAreLookedAtFirst(String bytes, String reason) {
        refuses(Texts.class, hex(bytes), reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"02000000 00000000 00000000 61c3", "01000000 01000000 00000000 c3a4"})
    void whatIsNotTextIsRefused(String bytes) {
        refuses(Texts.class, hex(bytes), "is not UTF-8 text: malformed at byte");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void constantsThatDoNotExistAreRefused(int ordinal) {
        byte[] bytes = bytes(ORDER);
        Unpooled.wrappedBuffer(bytes).setIntLE(8, ordinal);

        refuses(
                Order.class,
                bytes,
                "side of " + Order.class.getName() + " has 2 constants, and none with number " + ordinal);
    }

    @ParameterizedTest
    @ValueSource(bytes = {2, -1, Byte.MIN_VALUE})
    void aBooleanIsTrueOrFalse(byte value) {
        byte[] bytes = bytes(NUMBERS);
        bytes[0] = value;

        refuses(Numbers.class, bytes, value + " at byte 0 is neither true, 1, nor false, 0");
    }

    @Test
    void whatTheRecordItselfRefusesIsTheCause() {
        byte[] bytes = hex("05000000 04000000");

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> read(Range.class, bytes))
                .withMessage("a payload of 8 bytes is not the record " + Range.class.getName()
                        + ": the record refuses its values: from 5 to 4")
                .withCauseInstanceOf(IllegalArgumentException.class);
        refuses(
                Ranges.class,
                hex("01000000 02000000 03000000 01000000 00000000 05000000 06000000"),
                "refuses its values: from 3 to 1");
    }

    record Picky(String text) {

        Picky {
            throw new IllegalStateException(text);
        }
    }

    @Test
    void anErrorQuotesOnlyALittleOfWhatAPeerSent() {
        String text = "x\n".repeat(5000);
        ByteBuf bytes = Unpooled.buffer().writeIntLE(text.length());
        bytes.writeCharSequence(text, US_ASCII);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.record(Picky.class).decode(bytes))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500).doesNotContain("\n"));
        bytes.release();
    }

    private static void refuses(Class<? extends Record> type, byte[] bytes, String reason) {
        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> read(type, bytes))
                .withMessageContaining(reason);
    }

    @Test
    void hostileBytesAreRefused() {
        int refused = 0;
        for (long seed = 1; seed <= 20_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = bytes(seed % 2 == 0 ? order(random) : new Texts("a", text(random), "some"));
            Class<? extends Record> type = seed % 2 == 0 ? Order.class : Texts.class;
            for (int i = random.nextInt(4); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? random.nextInt() : 1);
            }
            bytes = Arrays.copyOf(bytes, bytes.length - random.nextInt(2) * random.nextInt(bytes.length));
            try {
                Record value = read(type, bytes);
                assertThat(bytes(value)).as("seed %d", seed).isEqualTo(bytes);
            } catch (ProtocolMismatch expected) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(refused).isBetween(5_000, 19_000);
    }

    @Test
    void whatIsMissingIsNamed() {
        refusesNull(null, "Order is null, which a record codec can't write");
        refusesNull(new Order(1, "a", null, NUMBERS, "b", true), "side of " + Order.class.getName() + " is null");
        refusesNull(new Order(1, "a", Side.BUY, null, "b", true), "numbers of " + Order.class.getName() + " is null");
        assertThatNullPointerException()
                .isThrownBy(() -> codec(Ranges.class).length(new Ranges(new Range(1, 2), new Range(1, 2), null)))
                .withMessageContaining("inner of " + Ranges.class.getName() + " is null");
    }

    private void refusesNull(@Nullable Order order, String message) {
        assertThatNullPointerException()
                .isThrownBy(() -> codec(Order.class).encode(order, allocator))
                .withMessageContaining(message);
        assertThatNullPointerException()
                .isThrownBy(() -> new ContentMemory(100).write(codec(Order.class), order, 100))
                .withMessageContaining(message);
    }

    @Test
    void textThatUtf8CantSayHasNoLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec(Texts.class).length(new Texts("a", "\uD83D", "b")))
                .withMessageContaining("has half a surrogate pair at 0");
    }

    @SuppressWarnings("ArrayRecordComponent") // Which is what is refused.
    record Amounts(int[] amounts) {}

    record Names(int count, List<String> names) {}

    record Boxed(Integer number) {}

    record Box<T>(T value) {}

    record Chain(@Nullable Chain next) {}

    record Deep(Chain chain, Names names) {}

    @Test
    void otherComponentsAreRefusedWithTheRemedy() {
        refuses(Amounts.class, "amounts of " + Amounts.class.getName() + ", which is int[], but only");
        refuses(Names.class, "names of " + Names.class.getName() + ", which is java.util.List<java.lang.String>, but");
        refuses(Boxed.class, "number of " + Boxed.class.getName() + ", which is java.lang.Integer, but");
        refuses(Box.class, "value of " + Box.class.getName() + ", which is T, but");
        refuses(
                Chain.class,
                "next of " + Chain.class.getName() + ", which is " + Chain.class.getName()
                        + " and contains itself, but");
        refuses(Deep.class, "next of " + Chain.class.getName());
        refuses(Record.class, "java.lang.Record is no record");
    }

    private static void refuses(Class<? extends Record> type, String reason) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> Codecs.record(type))
                .withMessageContaining(reason)
                .withMessageEndingWith("use Codecs.cbor");
    }

    /** A record of the JDK, whose modules are not open. */
    @Test
    void aModuleThatIsNotOpenIsNamedWithTheRemedy() {
        refuses(
                jdk.net.UnixDomainPrincipal.class,
                "a record codec can't reach jdk.net.UnixDomainPrincipal: the descriptor of its module needs"
                        + " 'opens jdk.net;', or");
    }

    record Many(
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            long a6,
            long a7,
            long a8,
            long a9,
            long a10,
            long a11,
            String b1,
            String b2,
            String b3,
            String b4,
            String b5,
            String b6,
            String b7,
            String b8,
            String b9,
            int c1,
            int c2,
            int c3,
            int c4,
            int c5,
            int c6,
            int c7,
            int c8,
            int c9,
            int c10,
            int c11,
            int c12) {}

    @Test
    void aLongRecordComesBack() {
        assertComesBack(new Many(
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "a", "bc", "def", "", null, "gh", "i", "jkl", "m", 1, 2, 3, 4, 5, 6,
                7, 8, 9, 10, 11, 12));
    }

    /** As many as the language allows, which is one more than a method handle takes. */
    @Test
    void aRecordWithTooManyComponentsIsRefused(@TempDir Path folder) throws Exception {
        String components =
                IntStream.range(0, 127).mapToObj(number -> "long c" + number).collect(Collectors.joining(", "));
        Path source = Files.writeString(folder.resolve("Wide.java"), "public record Wide(" + components + ") {}");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
                .isZero();
        try (URLClassLoader classes =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            Class<? extends Record> wide = classes.loadClass("Wide").asSubclass(Record.class);
            assertThatExceptionOfType(Misconfigured.class)
                    .isThrownBy(() -> Codecs.record(wide))
                    .withMessageContaining("Wide has too many components for a fixed layout: use Codecs.cbor");
        }
    }
}
