package io.weir.core;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Whether text was well-formed UTF-8: decoded the fast way, and looked at closely only when that is in doubt. */
final class Utf8 {

    /** What a lenient decoder puts for malformed bytes, and a legal character as well. */
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8() {}

    /**
     * So many bytes from there, as text.
     *
     * @throws ProtocolMismatch if they are none
     */
    static String text(byte[] bytes, int from, int count) {
        String text = new String(bytes, from, count, StandardCharsets.UTF_8);
        if (mayBeMalformed(text)) {
            refuseMalformed(Arrays.copyOfRange(bytes, from, from + count));
        }
        return text;
    }

    /** Whether something may have been replaced when this was decoded. */
    static boolean mayBeMalformed(String decoded) {
        return decoded.indexOf(REPLACEMENT) >= 0;
    }

    static void refuseMalformed(byte[] payload) {
        ByteBuffer bytes = ByteBuffer.wrap(payload);
        CharBuffer ignored = CharBuffer.allocate(bytes.remaining());
        if (StandardCharsets.UTF_8.newDecoder().decode(bytes, ignored, true).isError()) {
            throw new ProtocolMismatch("a payload of " + bytes.capacity()
                    + " bytes is not UTF-8 text: malformed at byte " + bytes.position());
        }
    }
}
