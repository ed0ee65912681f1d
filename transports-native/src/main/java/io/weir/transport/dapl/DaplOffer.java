package io.weir.transport.dapl;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.rdma.RemoteOffer;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;

/**
 * What one side offers to the other, so that one can connect to the other and the slots be used.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *  8  address (28 bytes), reads that this side serves at once (32)
 * 40  connection qualifier (64); zero from the side that connects
 * 48  nonce (16 bytes): whoever shows it when it connects has seen this offer
 * 64  slots in which this side receives (32), bytes of each (32)
 * </pre>
 *
 * @param address of the adapter
 * @param maxReads how many of the peer's reads this side serves at once
 * @param plan how this side receives
 */
record DaplOffer(DaplAddress address, int maxReads, long qualifier, Nonce nonce, SlotPlan plan) {

    static final int VERSION = 1;
    static final int BYTES = 72;

    byte[] encode() {
        ByteBuffer bytes = address.put(OfferFormat.begin(BYTES, VERSION))
                .putInt(maxReads)
                .putLong(qualifier)
                .put(nonce.bytes());
        return RemoteOffer.end(bytes, plan);
    }

    /**
     * Reads what the other side offers.
     *
     * @param listens whether the other side is the one that listens
     * @throws ProtocolMismatch if it can't be used
     */
    static DaplOffer decode(byte[] offer, boolean listens) {
        ByteBuffer bytes = OfferFormat.read(DaplTransport.NAME, offer, BYTES, VERSION);
        byte[] received = new byte[DaplAddress.BYTES];
        bytes.get(received);
        DaplAddress address = DaplAddress.at(ByteBuffer.wrap(received));
        if (address == null || !address.isOfAHost(received)) {
            throw new ProtocolMismatch("the peer's offer for dapl has an address that can't be used");
        }
        int maxReads = bytes.getInt();
        check(maxReads >= 1, "reads at once", maxReads);
        long qualifier = bytes.getLong();
        check(listens == (qualifier != 0), "connection qualifier", qualifier);
        byte[] nonce = new byte[Nonce.BYTES];
        bytes.get(nonce);
        return new DaplOffer(
                address, maxReads, qualifier, new Nonce(nonce), RemoteOffer.plan(DaplTransport.NAME, bytes));
    }

    private static void check(boolean sound, String field, long value) {
        OfferFormat.check(DaplTransport.NAME, sound, field, value);
    }
}
