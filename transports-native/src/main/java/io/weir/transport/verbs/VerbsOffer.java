package io.weir.transport.verbs;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.RemoteOffer;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;

/**
 * What one side offers to the other, so that both connections can be joined and the slots be used.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *  8  link layer (8), longest packet (8), reads that this side serves at once (8), zero (8), LID (16), zero (16)
 * 16  GID (16 bytes)
 * 32  number of the connection (32), number of its first packet (32)
 * 40  slots in which this side receives (32), bytes of each (32)
 * </pre>
 *
 * @param mtu as libibverbs numbers it, from 1 to 5
 * @param maxReads how many of the peer's reads this side serves at once
 * @param psn the number of the first packet that this side sends
 * @param plan how this side receives
 */
record VerbsOffer(LinkLayer layer, int mtu, int maxReads, int lid, Gid gid, int queuePair, int psn, SlotPlan plan) {

    static final int VERSION = 1;
    static final int BYTES = 48;

    private static final int LARGEST_MTU = 5;

    /** Packets and connections are numbered with 24 bits. */
    private static final int NUMBERS = 1 << 24;

    /** The first two belong to the managers of the subnet. */
    private static final int FIRST_PAIR = 2;

    /** Above are those of groups. */
    private static final int LAST_LID = 0xbfff;

    byte[] encode() {
        ByteBuffer bytes = OfferFormat.begin(BYTES, VERSION);
        bytes.put((byte) layer.number()).put((byte) mtu).put((byte) maxReads).put((byte) 0);
        bytes.putShort((short) lid).putShort((short) 0);
        gid.put(bytes, bytes.position());
        bytes.position(bytes.position() + VerbsLayout.GID_BYTES);
        return RemoteOffer.end(bytes.putInt(queuePair).putInt(psn), plan);
    }

    /**
     * Reads what the other side offers.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static VerbsOffer decode(byte[] offer) {
        ByteBuffer bytes = OfferFormat.read(VerbsTransport.NAME, offer, BYTES, VERSION);
        int number = bytes.get();
        LinkLayer layer = LinkLayer.of(number);
        if (layer == null) {
            throw OfferFormat.unusable(VerbsTransport.NAME, "link layer", number);
        }
        int mtu = bytes.get();
        check(mtu >= 1 && mtu <= LARGEST_MTU, "longest packet", mtu);
        int maxReads = Byte.toUnsignedInt(bytes.get());
        check(maxReads >= 1, "reads at once", maxReads);
        int reserved = bytes.get();
        int lid = Short.toUnsignedInt(bytes.getShort());
        reserved |= bytes.getShort();
        check(reserved == 0, "reserved field", reserved);
        Gid gid = Gid.at(bytes, bytes.position());
        bytes.position(bytes.position() + VerbsLayout.GID_BYTES);
        if (layer == LinkLayer.INFINIBAND) {
            check(lid >= 1 && lid <= LAST_LID, "LID", lid);
        } else if (gid.isZero() || gid.isMulticast()) {
            throw new ProtocolMismatch("the peer's offer for verbs has the GID " + gid);
        }
        int queuePair = bytes.getInt();
        check(queuePair >= FIRST_PAIR && queuePair < NUMBERS, "connection", queuePair);
        int psn = bytes.getInt();
        check(psn >= 0 && psn < NUMBERS, "first packet", psn);
        return new VerbsOffer(
                layer, mtu, maxReads, lid, gid, queuePair, psn, RemoteOffer.plan(VerbsTransport.NAME, bytes));
    }

    private static void check(boolean sound, String field, int value) {
        OfferFormat.check(VerbsTransport.NAME, sound, field, value);
    }
}
