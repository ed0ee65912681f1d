package io.weir.transport.elan;

import io.weir.core.ProtocolMismatch;
import io.weir.transport.rdma.RemoteOffer;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.stream.OfferFormat;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * What one side offers to the other, so that both can write to each other.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32)
 *  8  the process's number in the job (32), zero (32)
 * 16  where its mailbox for this link is (64)
 * 24  what letters into it have to show (64)
 * 32  seal: the beginning of a digest of all the rest that only processes of the job can make (128), as what is said
 *     here becomes an
 *     address that is written to
 * 48  slots in which this side receives (32), bytes of each (32)
 * </pre>
 *
 * @param plan how this side receives
 */
record ElanOffer(int vp, long mailbox, long secret, SlotPlan plan) {

    static final int VERSION = 1;
    static final int BYTES = 56;
    private static final int SEAL_AT = 32;
    private static final int SEAL = 16;

    /** @param seal makes a digest */
    byte[] encode(UnaryOperator<byte[]> seal) {
        byte[] offer = RemoteOffer.end(
                OfferFormat.begin(BYTES, VERSION)
                        .putInt(vp)
                        .putInt(0)
                        .putLong(mailbox)
                        .putLong(secret)
                        .position(SEAL_AT + SEAL),
                plan);
        System.arraycopy(seal.apply(offer), 0, offer, SEAL_AT, SEAL);
        return offer;
    }

    /**
     * Reads what the other side offers.
     *
     * @param nvp how many processes the job has
     * @param seal makes a digest
     * @throws ProtocolMismatch if it can't be used
     */
    static ElanOffer decode(byte[] offer, int nvp, UnaryOperator<byte[]> seal) {
        ByteBuffer bytes = OfferFormat.read(ElanTransport.NAME, offer, BYTES, VERSION);
        byte[] rest = offer.clone();
        Arrays.fill(rest, SEAL_AT, SEAL_AT + SEAL, (byte) 0);
        byte[] made = Arrays.copyOf(seal.apply(rest), SEAL);
        if (!MessageDigest.isEqual(made, Arrays.copyOfRange(offer, SEAL_AT, SEAL_AT + SEAL))) {
            throw new ProtocolMismatch(
                    "the peer's offer for elan can't be used: it was not made by a process of this job");
        }
        int vp = bytes.getInt();
        OfferFormat.check(ElanTransport.NAME, vp >= 0 && vp < nvp, "process's number", vp);
        int zero = bytes.getInt();
        OfferFormat.check(ElanTransport.NAME, zero == 0, "reserved word", zero);
        long mailbox = bytes.getLong();
        OfferFormat.check(ElanTransport.NAME, isPlace(mailbox), "mailbox", mailbox);
        long secret = bytes.getLong();
        OfferFormat.check(ElanTransport.NAME, secret != 0, "secret", secret);
        return new ElanOffer(vp, mailbox, secret, RemoteOffer.plan(ElanTransport.NAME, bytes.position(SEAL_AT + SEAL)));
    }

    /** Whether words of 64 bits can be written there. */
    static boolean isPlace(long address) {
        return address > 0 && address % Long.BYTES == 0;
    }
}
