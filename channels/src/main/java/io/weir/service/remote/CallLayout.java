package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.weir.core.ForeignText;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What crosses the wire for remote calls, little-endian. A text is its length in bytes (4; -1: null) and UTF-8.
 *
 * <pre>
 * request   kind 1 | flags 1, all 0 | method 2 | milliseconds left 4, 0: no deadline | object 4, 0: what the port
 *           exports | body
 *   call      for each argument that is no stream: length 4, -1: null | value
 *   bind      name of the interface, a text
 *   drop      how often it was received 4
 *
 * A reference is a number (4): positive, of an object of the sender; negative, of one of the receiver's, which comes
 * back.
 *
 * answer    outcome 1 | body; an answer without a payload: nothing, or null
 *   value     the value
 *   thrown    type, message, text of the stack or null: texts
 *   others    a text
 *
 * bound     interface, codec: texts | methods 2 | for each, by its number: key, signature: texts
 *           | types 4 | for each: name, definition: texts
 * </pre>
 *
 * Requests and answers are messages of ask. The call of a method with a stream has a channel, on which the caller sends
 * the request, then the items of its argument, and the other side the items of the result, each of these in the form of
 * an answer.
 */
final class CallLayout {

    static final int CALL = 1;
    static final int BIND = 2;
    static final int DROP = 3;

    static final int VALUE = 0;
    static final int THROWN = 1;
    /** Nothing was begun: too much was running. */
    static final int BUSY = 2;
    /** The deadline had passed. */
    static final int LATE = 3;
    /** The request can't be understood. */
    static final int MALFORMED = 4;
    /** There is no such thing, or not for this peer. */
    static final int REFUSED = 5;
    /** It was done, but what it yields would lend one object too many. */
    static final int FULL = 6;

    /** What follows the name of the port for calls that have a channel: a port serves either. */
    static final String STREAMS = ".streams";

    /** Bytes of the longest text: the definition of a type with thousands of parts. */
    static final int LONGEST_TEXT = 256 * 1024;

    /** Characters of the longest reason that is sent. */
    static final int LONGEST_REASON = 4096;

    /** Bytes of a request before its body. */
    static final int HEADER = 12;

    private CallLayout() {}

    static void writeHeader(ByteBuf target, int kind, int method, int millisLeft, int object) {
        target.writeByte(kind);
        target.writeByte(0);
        target.writeShortLE(method);
        target.writeIntLE(millisLeft);
        target.writeIntLE(object);
    }

    /** The beginning of a request. */
    record Header(int kind, int method, int millisLeft, int object) {}

    static Header readHeader(ByteBuf source) {
        if (source.readableBytes() < HEADER) {
            throw new ProtocolMismatch(
                    "a request of " + source.readableBytes() + " bytes, which begins with " + HEADER);
        }
        int kind = source.readUnsignedByte();
        int flags = source.readUnsignedByte();
        Header header = new Header(kind, source.readUnsignedShortLE(), source.readIntLE(), source.readIntLE());
        if (flags != 0 || header.millisLeft < 0) {
            throw new ProtocolMismatch("a request with the flags " + flags + " and " + header.millisLeft + " ms left");
        }
        return header;
    }

    static void writeText(ByteBuf target, @Nullable String text) {
        if (text == null) {
            target.writeIntLE(-1);
        } else {
            target.writeIntLE(ByteBufUtil.utf8Bytes(text));
            ByteBufUtil.writeUtf8(target, text);
        }
    }

    /** What could disturb a log is replaced. */
    static @Nullable String readTextOrNull(ByteBuf source) {
        int length = readLength(source);
        if (length > LONGEST_TEXT) {
            throw new ProtocolMismatch("a text of " + length + " bytes, and " + LONGEST_TEXT + " is the most");
        }
        return length < 0
                ? null
                : ForeignText.harmless(
                        source.readCharSequence(length, StandardCharsets.UTF_8).toString());
    }

    /** No more than so many characters of it. */
    static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest) + "...";
    }

    static String readText(ByteBuf source) {
        String text = readTextOrNull(source);
        if (text == null) {
            throw new ProtocolMismatch("null in place of a text");
        }
        return text;
    }

    /** The length of what follows, which is there as a whole; -1 for null. */
    static int readLength(ByteBuf source) {
        int length = readInt(source);
        if (length < -1 || length > source.readableBytes()) {
            throw new ProtocolMismatch(
                    "a length of " + length + " where " + source.readableBytes() + " bytes are left");
        }
        return length;
    }

    static int readInt(ByteBuf source) {
        if (source.readableBytes() < Integer.BYTES) {
            throw new ProtocolMismatch("a number is missing");
        }
        return source.readIntLE();
    }

    /** How many pairs of texts follow; of this many bytes. */
    static int readCount(ByteBuf source, int bytes) {
        if (source.readableBytes() < bytes) {
            throw new ProtocolMismatch("a count is missing");
        }
        int count = bytes == Short.BYTES ? source.readUnsignedShortLE() : source.readIntLE();
        if (count < 0 || (long) count * 2 * Integer.BYTES > source.readableBytes()) {
            throw new ProtocolMismatch(count + " things in " + source.readableBytes() + " bytes");
        }
        return count;
    }

    /** Whether an answer is a value, and not why there is none. */
    static boolean isValue(Message answer) {
        ByteBuf payload = answer.payload();
        return payload.isReadable() && payload.getByte(payload.readerIndex()) == VALUE;
    }
}
