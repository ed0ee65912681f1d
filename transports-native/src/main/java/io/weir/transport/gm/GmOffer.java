package io.weir.transport.gm;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.RemoteOffer;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;

/**
 * What one side tells the other, so that both can send to each other.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *  8  the node's number, as all know it (32), its port (32)
 * 16  what messages for this link have to show (64)
 * 24  slots in which this side receives (32), bytes of each (32)
 * </pre>
 *
 * @param plan how this side receives
 */
record GmOffer(int globalNode, int port, long link, SlotPlan plan) {

    static final int VERSION = 1;
    static final int BYTES = 32;
    private static final int LAST_PORT = 255;

    byte[] encode() {
        return RemoteOffer.end(
                OfferFormat.begin(BYTES, VERSION)
                        .putInt(globalNode)
                        .putInt(port)
                        .putLong(link),
                plan);
    }

    /**
     * Reads what the other side offers.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static GmOffer decode(byte[] offer) {
        ByteBuffer bytes = OfferFormat.read(GmTransport.NAME, offer, BYTES, VERSION);
        int node = bytes.getInt();
        OfferFormat.check(GmTransport.NAME, node != 0, "node", node);
        int port = bytes.getInt();
        OfferFormat.check(GmTransport.NAME, port >= 1 && port <= LAST_PORT, "port", port);
        long link = bytes.getLong();
        OfferFormat.check(GmTransport.NAME, link != 0, "link", link);
        return new GmOffer(node, port, link, RemoteOffer.plan(GmTransport.NAME, bytes));
    }
}
