package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The HELLO that comes first on every bootstrap connection, as far as a transport looks at it: its magic. Sent by the
 * tests when they have connected, and skipped by {@link End}, so that the link has had no handler when the test begins.
 */
final class Hello {

    private static final byte[] BODY = "WEIR, as its transport contract greets".getBytes(StandardCharsets.US_ASCII);

    private Hello() {}

    /** Says HELLO; on the loop's thread. */
    static void say(Link link) {
        if (!link.offer(new Frame().set(FrameKind.HELLO, 0, 0, 0).body(Unpooled.wrappedBuffer(BODY.clone())))) {
            throw new AssertionError("a new connection has no room for a HELLO");
        }
    }

    /** The bytes of a HELLO on a byte stream. */
    static byte[] bytes() {
        return RawFrame.of(FrameKind.HELLO, 0, 0, new byte[0], BODY);
    }

    static boolean is(Frame frame) {
        if (frame.kind() != FrameKind.HELLO) {
            return false;
        }
        ByteBuf body = frame.body();
        byte[] bytes = new byte[Math.min(BODY.length, body.readableBytes())];
        body.getBytes(body.readerIndex(), bytes);
        return Arrays.equals(bytes, BODY);
    }
}
