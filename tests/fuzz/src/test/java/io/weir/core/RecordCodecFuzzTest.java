package io.weir.core;

import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.fuzz.Hostile;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes are a record or are refused, alike wherever they lie: in an array, in a buffer, in memory of which there is a
 * copy first. A record that was read is written as the very bytes that were read.
 */
class RecordCodecFuzzTest {

    private static final RecordCodec<Outer> CODEC = new RecordCodec<>(Outer.class);
    /** An error with its stack, beside what the record takes. */
    private static final int FREE = 256 << 10;

    enum Colour {
        RED,
        GREEN,
        BLUE
    }

    record Inner(byte small, @Nullable String text, char letter) {}

    record Outer(
            boolean flag,
            @Nullable String first,
            short little,
            Colour colour,
            Inner one,
            int number,
            long large,
            Inner other,
            float rough,
            double fine,
            @Nullable String last) {

        Outer {
            if (number < 0) {
                throw new IllegalArgumentException("it is not \u001b[2J for " + first);
            }
        }
    }

    static Stream<byte[]> seeds() {
        Inner inner = new Inner((byte) 3, "inner", '\u20ac');
        Inner none = new Inner((byte) -3, null, 'x');
        return Stream.of(
                        new Outer(true, "one", (short) 2, Colour.GREEN, inner, 4, 5, inner, 6.5f, 7.5, "last"),
                        new Outer(false, null, (short) -2, Colour.BLUE, none, 0, -5, inner, -0f, Double.NaN, ""),
                        new Outer(false, "", (short) 0, Colour.RED, none, 7, 5, none, 0, 0, null),
                        new Outer(true, "long ".repeat(80), (short) 2, Colour.RED, inner, 4, 5, none, 1, 2, "\u00e9"))
                .flatMap(each -> {
                    byte[] whole = encoded(each);
                    byte[] refused = whole.clone();
                    // Flag, length of the first text, little, colour, small, length of a text, letter; then the number.
                    refused[1 + 4 + 2 + 4 + 1 + 4 + 2 + 3] = (byte) 0x80;
                    return Stream.of(whole, refused, Arrays.copyOf(whole, whole.length - 1));
                });
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsReadIsWrittenAsTheSameBytes(byte[] input) throws Exception {
        ByteBuf whole = Unpooled.wrappedBuffer(input);
        long most = FREE + 16L * input.length;
        Object read = Hostile.within(most, () -> outcome(() -> CODEC.decode(whole)));
        check(whole.readerIndex() == 0 && whole.refCnt() == 1, "the buffer was consumed");
        check(read.equals(outcome(() -> CODEC.decode(whole.asReadOnly()))), "from a copy");
        check(read.equals(outcome(() -> inArray(input))), "in an array");
        check(read.equals(outcome(() -> ContentMemory.read(CODEC, BufferView.toRead(whole), input.length))), "there");
        if (read instanceof Outer record) {
            check(Arrays.equals(input, encoded(record)), "written anew: " + record);
            ContentMemory memory = new ContentMemory(input.length);
            Arrays.fill(memory.bytes(), (byte) 0x5a);
            memory.write(CODEC, record, input.length);
            check(Arrays.equals(input, memory.bytes()), "written in place: " + record);
            ByteBuf buffer = Unpooled.buffer(input.length).writeBytes(new byte[input.length]);
            ContentMemory.write(CODEC, record, BufferView.toWrite(buffer), input.length);
            check(Arrays.equals(input, ByteBufUtil.getBytes(buffer)), "written into a buffer: " + record);
        }
    }

    private static Outer inArray(byte[] input) {
        ContentMemory memory = new ContentMemory(input.length);
        System.arraycopy(input, 0, memory.bytes(), 0, input.length);
        return memory.read(CODEC, input.length);
    }

    private static byte[] encoded(Outer value) {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        ByteBuf payload = CODEC.encode(value, memory);
        byte[] bytes = ByteBufUtil.getBytes(payload);
        check(bytes.length == CODEC.length(value), "a wrong length");
        payload.release();
        check(memory.metric().usedHeapMemory() == 0, "a buffer was lost");
        return bytes;
    }

    private interface Reading {
        Object read();
    }

    private static Object outcome(Reading reading) {
        try {
            return reading.read();
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return String.valueOf(e.getMessage());
        }
    }
}
