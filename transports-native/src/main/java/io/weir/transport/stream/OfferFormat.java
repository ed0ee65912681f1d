package io.weir.transport.stream;

import io.weir.core.ProtocolMismatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What offers have in common that are structures: how they begin, and how one is refused. Little-endian.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *     what the path needs
 * </pre>
 */
public final class OfferFormat {

    private static final int MAGIC = 0x52494557;

    private OfferFormat() {}

    /** Begins to write one of this length. */
    public static ByteBuffer begin(int length, int version) {
        return ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(version);
    }

    /**
     * Begins to read one.
     *
     * @param transport the path's name
     * @throws ProtocolMismatch if it does not begin like one, or is longer or shorter
     */
    public static ByteBuffer read(String transport, byte[] offer, int length, int version) {
        check(transport, offer.length == length, "length", offer.length);
        ByteBuffer bytes = ByteBuffer.wrap(offer).order(ByteOrder.LITTLE_ENDIAN);
        int magic = bytes.getInt();
        check(transport, magic == MAGIC, "beginning", magic);
        int theirs = bytes.getInt();
        check(transport, theirs == version, "version", theirs);
        return bytes;
    }

    /**
     * Checks a field of one.
     *
     * @throws ProtocolMismatch naming it, and what stands there
     */
    public static void check(String transport, boolean sound, String field, long value) {
        if (!sound) {
            throw unusable(transport, field, value);
        }
    }

    /** That a field of one can't be used. */
    public static ProtocolMismatch unusable(String transport, String field, long value) {
        return new ProtocolMismatch(
                "the peer's offer for " + transport + " can't be used: its " + field + " is " + value);
    }
}
