package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

abstract class ContentViewTest {

    /** The memory goes on behind the content, which begins with it. */
    private static final int LENGTH = 16;

    private static final int[] EXTREMES = {Integer.MIN_VALUE, -8, -1, 1 << 30, Integer.MAX_VALUE - 7, Integer.MAX_VALUE
    };

    private final byte[] memory = new byte[LENGTH + 16];
    private final ContentView view = over(memory);

    /** A view of content that begins this memory. */
    abstract ContentView over(byte[] array);

    /** One kind of value: how it lies in the memory, and how it is put and got. */
    private record Kind<T>(T value, String hex, BiFunction<ContentView, Integer, T> getter, Putter<T> putter) {

        int size() {
            return hex.length() / 2;
        }

        void put(ContentView view, int index) {
            putter.put(view, index, value);
        }

        T get(ContentView view, int index) {
            return getter.apply(view, index);
        }

        @Override
        public String toString() {
            return value.getClass().getSimpleName() + " " + hex;
        }
    }

    @FunctionalInterface
    private interface Putter<T> {
        void put(ContentView view, int index, T value);
    }

    static Stream<Kind<?>> kinds() {
        return Stream.of(
                new Kind<>((byte) -2, "fe", ContentView::getByte, ContentView::putByte),
                new Kind<>((short) 0x8102, "0281", ContentView::getShort, ContentView::putShort),
                new Kind<>(0x81020304, "04030281", ContentView::getInt, ContentView::putInt),
                new Kind<>(0x8102030405060708L, "0807060504030281", ContentView::getLong, ContentView::putLong),
                new Kind<>(-1.5f, "0000c0bf", ContentView::getFloat, ContentView::putFloat),
                new Kind<>(Float.NaN, "0000c07f", ContentView::getFloat, ContentView::putFloat),
                new Kind<>(-0.1, "9a9999999999b9bf", ContentView::getDouble, ContentView::putDouble),
                new Kind<>(Double.NaN, "000000000000f87f", ContentView::getDouble, ContentView::putDouble),
                new Kind<>(bytes("00ff7f"), "00ff7f", (from, at) -> from.getBytes(at, 3), ContentView::putBytes));
    }

    private static byte[] bytes(String hex) {
        return ByteBufUtil.decodeHexDump(hex);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void liesAnywhereWithTheLowestByteFirst(Kind<?> kind) {
        view.open(LENGTH, true);
        for (int index = 0; index + kind.size() <= LENGTH; index++) {
            Arrays.fill(memory, (byte) 0x55);
            kind.put(view, index);

            byte[] expected = new byte[memory.length];
            Arrays.fill(expected, (byte) 0x55);
            System.arraycopy(bytes(kind.hex), 0, expected, index, kind.size());
            assertThat(memory).as("at %d", index).isEqualTo(expected);
            assertThat(kind.get(view, index)).as("at %d", index).isEqualTo(kind.value);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nothingReachesBeyondTheContent(Kind<?> kind) {
        view.open(LENGTH, true);
        int end = LENGTH - kind.size() + 1;
        for (int index : new int[] {end, LENGTH, LENGTH + 8, memory.length, -1, -kind.size()}) {
            refuses(kind, index);
        }
        for (int index : EXTREMES) {
            refuses(kind, index);
        }
        assertThat(memory).containsOnly(0);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsReadCantBeChanged(Kind<?> kind) {
        Arrays.fill(memory, (byte) 0x55);
        view.open(LENGTH, false);
        for (int index : new int[] {0, 1, LENGTH - kind.size(), LENGTH, -1}) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> kind.put(view, index))
                    .withMessage("the content of a message can't be changed while it is read");
        }
        assertThat(memory).containsOnly(0x55);
        view.close();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> kind.put(view, 0));
        view.open(LENGTH, true);
        kind.put(view, 0);
        assertThat(kind.get(view, 0)).isEqualTo(kind.value);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void thereIsNothingInEmptyContent(Kind<?> kind) {
        view.open(0, true);
        refuses(kind, 0);
        for (int index : EXTREMES) {
            refuses(kind, index);
        }
        assertThat(view.length()).isZero();
        assertThat(view.getBytes(0, 0)).isEmpty();
        assertThat(view.getText(0, 0)).isEmpty();
        view.putBytes(0, new byte[0]);
        assertThat(memory).containsOnly(0);
    }

    private void refuses(Kind<?> kind, int index) {
        String message = kind.size() + " bytes from byte " + index + " of content of " + view.length() + " bytes";
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> kind.put(view, index))
                .withMessage(message);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> kind.get(view, index))
                .withMessage(message);
    }

    /** A count that a peer has claimed costs no memory before it was looked at. */
    @ParameterizedTest
    @CsvSource({
        "0, 17",
        "16, 1",
        "17, 0",
        "-1, 0",
        "-1, 1",
        "0, -1",
        "5, -5",
        "16, -1",
        "0, 2147483647",
        "2147483647, 0",
        "2147483647, 2147483647",
        "1, 2147483647",
        "2147483647, 1",
        "2147483647, -2147483648",
        "-1, 2147483647",
        "0, -2147483648",
        "-2147483648, -2147483648",
        "1073741824, 1073741824"
    })
    void piecesBeyondTheContentAreRefused(int index, int count) {
        view.open(LENGTH, true);
        String message = count + " bytes from byte " + index + " of content of 16 bytes";

        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> view.getBytes(index, count))
                .withMessage(message);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> view.getText(index, count))
                .withMessage(message);
    }

    @Test
    void floatingPointNumbersKeepEveryBit() {
        view.open(LENGTH, true);
        view.putFloat(0, Float.intBitsToFloat(0x7fc12345));
        view.putDouble(4, Double.longBitsToDouble(0x7ff8123456789abcL));

        assertThat(view.getInt(0)).isEqualTo(0x7fc12345);
        assertThat(view.getLong(4)).isEqualTo(0x7ff8123456789abcL);
        assertThat(Float.floatToRawIntBits(view.getFloat(0))).isEqualTo(0x7fc12345);
        assertThat(Double.doubleToRawLongBits(view.getDouble(4))).isEqualTo(0x7ff8123456789abcL);
    }

    @Test
    void bytesAreCopiedBothWays() {
        view.open(LENGTH, true);
        byte[] array = {1, 2};
        view.putBytes(14, array);
        array[0] = 9;
        byte[] copy = view.getBytes(14, 2);
        copy[1] = 9;

        assertThat(view.getBytes(14, 2)).containsExactly(1, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "äöü", "€", "😀 and \uFFFD", "\0"})
    void textIsReadFromAnywhere(String text) {
        view.open(LENGTH, true);
        byte[] utf8 = text.getBytes(UTF_8);
        for (int index = 0; index + utf8.length <= LENGTH; index++) {
            Arrays.fill(memory, (byte) 0xff); // which is text nowhere
            view.putBytes(index, utf8);
            assertThat(view.getText(index, utf8.length)).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @CsvSource({"ff, 0", "61c3, 1", "6162c328, 2", "c080, 0", "eda080, 0", "f4908080, 0", "efbfbd80, 3"})
    void whatIsNotTextIsRefusedNamingThePlaceInTheText(String hex, int place) {
        view.open(LENGTH, true);
        byte[] malformed = bytes(hex);
        view.putBytes(3, malformed);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> view.getText(3, malformed.length))
                .withMessage(
                        "a payload of " + malformed.length + " bytes is not UTF-8 text: malformed at byte " + place);
        assertThat(view.getInt(0)).as("goes on after that").isEqualTo(malformed[0] << 24);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void isOfNoUseAfterTheCall(Kind<?> kind) {
        view.open(LENGTH, true);
        view.close();

        for (int index : new int[] {-1, 0, 1, LENGTH, Integer.MAX_VALUE}) {
            refusesLate(() -> kind.put(view, index));
            refusesLate(() -> kind.get(view, index));
        }
        refusesLate(view::length);
        refusesLate(() -> view.getBytes(0, 0));
        refusesLate(() -> view.getText(0, 0));
        refusesLate(() -> view.putBytes(0, new byte[0]));
        assertThat(memory).containsOnly(0);
    }

    private static void refusesLate(ThrowingCallable use) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(use)
                .withMessage("the content of a message was used after the call of the codec for which it was lent");
    }

    @Test
    void servesTheNextCallWithItsLength() {
        for (int length : new int[] {LENGTH, 1, 0, memory.length}) {
            view.open(length, true);
            assertThat(view.length()).isEqualTo(length);
            assertThat(view.getBytes(0, length)).hasSize(length);
            view.close();
        }
    }
}
