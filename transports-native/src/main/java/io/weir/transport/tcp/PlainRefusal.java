package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.NotSslRecordException;
import io.weir.core.ForeignText;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.transport.stream.Greeting;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Instead of TLS, somebody has said REFUSE: a node without TLS, or anybody on the way. */
final class PlainRefusal extends NotSslRecordException {

    private static final long serialVersionUID = 1L;

    private static final int LONGEST = 300;

    /** Bytes of a header up to the kind. */
    private static final int KNOWN = Integer.BYTES + 1;

    private PlainRefusal(String reason) {
        super(reason);
    }

    /** Whether more bytes are needed to tell what these first ones are. */
    static boolean needsMore(ByteBuf first) {
        return first.readableBytes() < KNOWN
                || (begins(first) && first.readableBytes() < FrameLayout.HEADER + length(first));
    }

    /** What these first bytes say, without control characters and cut; null if they are no REFUSE. */
    static @Nullable PlainRefusal of(ByteBuf first) {
        if (!begins(first)) {
            return null;
        }
        int shown = Math.min(length(first), LONGEST);
        String reason = first.toString(first.readerIndex() + FrameLayout.HEADER, shown, StandardCharsets.UTF_8);
        return new PlainRefusal(ForeignText.harmless(reason) + (shown < length(first) ? "…" : ""));
    }

    private static int length(ByteBuf first) {
        return first.getIntLE(first.readerIndex());
    }

    /** No record of TLS begins so: its third byte, where a short length has 0, is the lower part of the version. */
    private static boolean begins(ByteBuf first) {
        int length = length(first);
        return length >= 0
                && length <= Greeting.MAX_FIRST
                && first.getByte(first.readerIndex() + Integer.BYTES) == FrameKind.REFUSE.code();
    }
}
