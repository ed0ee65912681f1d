package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/** Text in UTF-8. */
final class TextCodec implements InPlaceCodec<String> {

    static final TextCodec INSTANCE = new TextCodec();

    private TextCodec() {}

    @Override
    public ByteBuf encode(String value, ByteBufAllocator allocator) {
        refuseLoneSurrogates(value);
        int length = ByteBufUtil.utf8Bytes(value);
        ByteBuf payload = allocator.buffer(length);
        ByteBufUtil.reserveAndWriteUtf8(payload, value, length);
        return payload;
    }

    @Override
    public String decode(ByteBuf payload) {
        String text = payload.toString(StandardCharsets.UTF_8);
        if (Utf8.mayBeMalformed(text)) {
            Utf8.refuseMalformed(ByteBufUtil.getBytes(payload));
        }
        return text;
    }

    @Override
    public int length(String value) {
        refuseLoneSurrogates(value);
        return ByteBufUtil.utf8Bytes(value);
    }

    @Override
    public void write(String value, ContentView to) {
        to.putBytes(0, value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String read(ContentView from) {
        return from.getText(0, from.length());
    }

    private static void refuseLoneSurrogates(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Character.isSurrogate(value.charAt(i))) {
                if (Character.charCount(value.codePointAt(i)) == 1) {
                    throw new IllegalArgumentException("text of " + value.length()
                            + " characters has half a surrogate pair at " + i + ", which UTF-8 can't say");
                }
                i++;
            }
        }
    }

    @Override
    public String toString() {
        return "text";
    }
}
