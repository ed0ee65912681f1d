package io.weir.transport.p4sock;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;

/**
 * What one side offers to the other, so that one can begin a connection and both can seal it.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *  8  MAC (6 bytes), zero (2 bytes)
 * 16  name to ask for (8 bytes); zero from the side that connects
 * 24  the longest payload of a fragment (32), fragments that may be on their way here (32)
 * 32  nonce (16 bytes), half of what the keys are made of
 * </pre>
 *
 * @param window fragments that may be on their way to this side
 */
record P4Offer(Mac mac, long name, int payload, int window, Nonce nonce) {

    static final int VERSION = 1;
    static final int BYTES = 48;

    byte[] encode() {
        byte[] offer = new byte[BYTES];
        OfferFormat.begin(BYTES, VERSION)
                .put(mac.bytes())
                .putShort((short) 0)
                .putLong(name)
                .putInt(payload)
                .putInt(window)
                .put(nonce.bytes())
                .get(0, offer);
        return offer;
    }

    /**
     * Reads what the other side offers.
     *
     * @param accepts whether the other side is the one that accepts
     * @throws ProtocolMismatch if it can't be used
     */
    static P4Offer decode(byte[] offer, boolean accepts) {
        ByteBuffer bytes = OfferFormat.read(P4Transport.NAME, offer, BYTES, VERSION);
        byte[] address = new byte[Mac.BYTES];
        bytes.get(address);
        Mac mac = Mac.of(address);
        check(mac.isOfAHost(), "address", mac.bits());
        short zero = bytes.getShort();
        check(zero == 0, "padding", zero);
        long name = bytes.getLong();
        check(accepts == (name != 0), "name", name);
        int payload = bytes.getInt();
        check(payload >= FrameFormat.SHORTEST && payload <= 0xffff, "payload", payload);
        int window = bytes.getInt();
        check(window >= P4Options.LEAST_FRAGMENTS && window <= P4Options.MOST_FRAGMENTS, "window", window);
        byte[] nonce = new byte[Nonce.BYTES];
        bytes.get(nonce);
        return new P4Offer(mac, name, payload, window, new Nonce(nonce));
    }

    private static void check(boolean sound, String field, long value) {
        OfferFormat.check(P4Transport.NAME, sound, field, value);
    }
}
