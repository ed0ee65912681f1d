package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.weir.core.ErrorCode;
import io.weir.core.ForeignText;
import io.weir.core.MessageTooLarge;
import io.weir.core.Overloaded;
import io.weir.core.PathRequired;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.core.Repeat;
import io.weir.core.WeirException;
import java.nio.charset.StandardCharsets;

/** Errors as they cross the wire: a code and a text. */
public final class Errors {

    /** Longer texts are cut: an error is no place for content. */
    private static final int LONGEST = 1024;

    private Errors() {}

    /** The error for a side that has sent nothing. */
    public static Throwable unsent(Throwable error) {
        return error instanceof WeirException it ? it.unsent() : error;
    }

    /** Type and message of an error, without its stack: that stays where it happened. */
    public static String text(Throwable error) {
        String message = error.getMessage();
        String text = error instanceof WeirException && message != null
                ? message
                : error.getClass().getSimpleName() + (message == null ? "" : ": " + message);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    /**
     * The peer's text, shortened, with everything that could disturb a log taken out. Reads the body without
     * releasing it.
     */
    public static String received(ByteBuf body) {
        return ForeignText.harmless(
                body.toString(body.readerIndex(), Math.min(body.readableBytes(), 4 * LONGEST), StandardCharsets.UTF_8));
    }

    /** The peer's error, as an exception here. Reads the body without releasing it. */
    public static WeirException received(PeerId peer, int code, ByteBuf body) {
        String text = received(body);
        return switch (ErrorCode.of(code)) {
            case NO_SUCH_PORT, REFUSED -> new Refused(peer + ": " + text);
            case OVERLOADED -> new Overloaded(peer + ": " + text, null, Repeat.IDEMPOTENT);
            case TOO_LARGE -> new MessageTooLarge(peer + ": " + text);
            case PROTOCOL -> new ProtocolMismatch(peer + ": " + text);
            case PATH_REQUIRED -> new PathRequired(peer + ": " + text);
            case FAILED -> new RemoteFailure(peer + " failed: " + text);
        };
    }
}
