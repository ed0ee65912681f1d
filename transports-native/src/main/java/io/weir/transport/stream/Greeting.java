package io.weir.transport.stream;

import io.netty.buffer.ByteBuf;
import io.weir.core.FrameKind;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;

/**
 * What a stream of frames may hold: before the other side has said HELLO only that, or a REFUSE, and little of it, so
 * that a browser, a port scan or noise is told from a peer as early as possible. Loop thread only.
 */
public final class Greeting {

    /**
     * Control and body bytes of one frame at most: large enough that the costs per frame vanish, small enough to
     * interleave.
     */
    public static final int MAX_FRAME = 64 << 10;

    /** As {@link #MAX_FRAME}, before the HELLO. */
    public static final int MAX_FIRST = 4 << 10;

    /** How the body of each HELLO begins: WEIR, in the order of the bytes. */
    public static final int MAGIC = 0x57454952;

    private static final int SHOWN = 16;

    /**
     * How records of a TLS handshake, and what ends one, begin: their type and 3, which every version has had since.
     */
    private static final int TLS_ALERT = 0x1503;

    private static final int TLS_HANDSHAKE = 0x1603;

    private final String who;
    private boolean greeted;
    private boolean sawTls;

    /**
     * Nothing was read so far.
     *
     * @param who the other side, as a phrase that a sentence can begin with
     * @param greeted whether the other side has proved already that it speaks the protocol
     */
    public Greeting(String who, boolean greeted) {
        this.who = who;
        this.greeted = greeted;
    }

    /** Whether it has said HELLO. */
    public boolean isDone() {
        return greeted;
    }

    /** Whether it has sent a record of TLS instead. */
    public boolean sawTls() {
        return sawTls;
    }

    /** Looks at the beginning of a header, which is not complete. */
    void checkStart(ByteBuf start) {
        if (greeted || start.readableBytes() < Integer.BYTES) {
            return;
        }
        int code = start.readableBytes() > Integer.BYTES ? start.getByte(Integer.BYTES) & 0xff : FrameKind.HELLO.code();
        check(start.getIntLE(0), code, start);
    }

    /** Looks at what each header begins with. */
    void check(int length, int code, ByteBuf from) {
        if (!greeted) {
            boolean greets = code == FrameKind.HELLO.code() || code == FrameKind.REFUSE.code();
            if (!greets || length < 0 || length > MAX_FIRST) {
                throw stranger(from);
            }
        } else if (length < 0 || length > MAX_FRAME) {
            throw broken(
                    "a frame of " + Integer.toUnsignedLong(length) + " bytes, where " + MAX_FRAME + " are the most");
        }
    }

    /** Looks at a whole frame. Its body is released if it is refused. */
    void checkFirst(FrameKind kind, ByteBuf body) {
        if (greeted || kind != FrameKind.HELLO) {
            return;
        }
        if (body.readableBytes() < Integer.BYTES || body.getInt(body.readerIndex()) != MAGIC) {
            ProtocolMismatch stranger = stranger(body);
            body.release();
            throw stranger;
        }
        greeted = true;
    }

    /** That it has sent this, which nobody may. */
    public ProtocolMismatch broken(String what) {
        return new ProtocolMismatch(who + " broke the protocol: it sent " + what);
    }

    /** The other side does not speak this protocol, as these bytes tell. */
    public ProtocolMismatch stranger(ByteBuf from) {
        int shown = Math.min(SHOWN, from.readableBytes());
        int begin = shown < Short.BYTES ? 0 : from.getUnsignedShort(from.readerIndex());
        if (begin == TLS_HANDSHAKE || begin == TLS_ALERT) {
            sawTls = true;
            return new ProtocolMismatch(who + " speaks TLS, which is off here; set weir.tls alike on both sides");
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < shown; i++) {
            byte value = from.getByte(from.readerIndex() + i);
            text.append(
                    value >= ' ' && value <= '~'
                            ? new String(new byte[] {value}, StandardCharsets.US_ASCII)
                            : String.format("\\x%02x", value));
        }
        return new ProtocolMismatch(who + " does not speak Weir: it sent '" + text
                + (from.readableBytes() > shown || shown == SHOWN ? "…" : "") + "'");
    }
}
