package io.weir.core;

import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.fuzz.Hostile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bytes are text exactly if Java's strict decoder says so, wherever they lie, and become the same bytes again. Any text
 * but one with half a surrogate pair crosses the wire unchanged.
 */
class TextCodecFuzzTest {

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "",
                        "plain",
                        "gr\u00fc\u00df Gott, \u4f60\u597d, \ud83c\udf0a",
                        "\ufffd is a legal character",
                        "long ".repeat(60) + "\u00e9",
                        "\ud83c\udf0a".repeat(70) + '\ufffd')
                .flatMap(text -> {
                    byte[] whole = text.getBytes(StandardCharsets.UTF_8);
                    byte[] cut = Arrays.copyOf(whole, Math.max(0, whole.length - 1));
                    byte[] surrogate = Arrays.copyOf(whole, whole.length + 3);
                    surrogate[whole.length] = (byte) 0xed;
                    surrogate[whole.length + 1] = (byte) 0xa0;
                    surrogate[whole.length + 2] = (byte) 0x80;
                    return Stream.of(whole, cut, surrogate, text.getBytes(StandardCharsets.UTF_16BE));
                });
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsTextIsReadAndBecomesTheSameBytes(byte[] input) {
        String expected = strict(input);
        String read = outcome(() -> TextCodec.INSTANCE.decode(Unpooled.wrappedBuffer(input)));
        check(Objects.equals(expected, read), "as bytes of a buffer: " + read);
        check(Objects.equals(read, outcome(() -> inArray(input))), "in an array");
        check(
                Objects.equals(
                        read,
                        outcome(() -> ContentMemory.read(
                                TextCodec.INSTANCE, BufferView.toRead(Unpooled.wrappedBuffer(input)), input.length))),
                "in a buffer");
        if (expected != null) {
            check(Arrays.equals(input, encoded(expected)), "written anew");
            check(Arrays.equals(input, inPlace(expected)), "written in place");
        }
        anyText(new String(input, StandardCharsets.UTF_16BE));
    }

    private static void anyText(String text) {
        byte[] encoded;
        try {
            encoded = encoded(text);
        } catch (IllegalArgumentException e) {
            check(strict(text.getBytes(StandardCharsets.UTF_8)) != null, e);
            check(!new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text), e);
            return;
        }
        check(Arrays.equals(encoded, inPlace(text)), "written in place");
        check(text.equals(strict(encoded)), "text that has changed");
    }

    private static byte[] encoded(String text) {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        try {
            ByteBuf payload = TextCodec.INSTANCE.encode(text, memory);
            byte[] bytes = ByteBufUtil.getBytes(payload);
            payload.release();
            return bytes;
        } finally {
            check(memory.metric().usedHeapMemory() == 0, "a buffer was lost");
        }
    }

    private static byte[] inPlace(String text) {
        int length = TextCodec.INSTANCE.length(text);
        ContentMemory memory = new ContentMemory(length);
        memory.write(TextCodec.INSTANCE, text, length);
        return memory.bytes();
    }

    private static String inArray(byte[] input) {
        ContentMemory memory = new ContentMemory(input.length);
        System.arraycopy(input, 0, memory.bytes(), 0, input.length);
        return memory.read(TextCodec.INSTANCE, input.length);
    }

    private interface Reading {
        String read();
    }

    private static @Nullable String outcome(Reading reading) {
        try {
            return reading.read();
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return null;
        }
    }

    private static @Nullable String strict(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
