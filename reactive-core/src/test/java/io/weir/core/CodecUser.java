package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.function.Function;

/** A program that uses the codec of this name, and says what came of it. Loaded anew by {@link WithoutJackson}. */
public final class CodecUser implements Function<String, String> {

    @Override
    public String apply(String codec) {
        try {
            return switch (codec) {
                case "text" -> "there and back: " + thereAndBack(Codecs.text(), "ok");
                case "bytes" ->
                    "there and back: " + new String(thereAndBack(Codecs.bytes(), new byte[] {'o', 'k'}), UTF_8);
                case "json" -> "there and back: " + thereAndBack(Codecs.json(String.class), "ok");
                case "cbor" -> "there and back: " + thereAndBack(Codecs.cbor(String.class), "ok");
                default -> throw new IllegalArgumentException(codec);
            };
        } catch (Misconfigured e) {
            return e.getMessage();
        }
    }

    private static <T> T thereAndBack(Codec<T> codec, T value) {
        ByteBuf payload = codec.encode(value, UnpooledByteBufAllocator.DEFAULT);
        try {
            return codec.decode(payload);
        } finally {
            payload.release();
        }
    }
}
