package io.weir.transport.p4sock;

import io.weir.core.Sha256;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteBuffer;

/**
 * What proves that a frame was made by the other end of this connection, for this connection and this place in it, and
 * has come as it was made. Each direction has a key of its own, out of what both sides have drawn by lot and told each
 * other over the bootstrap connection.
 *
 * <p>The seal of data is the keyed hash of the fragment's whole number, of which the frame shows 16 bits, its header,
 * and the checksum (CRC-32C) of its payload. So what comes again after 65536 fragments, or belongs to another
 * connection, does not pass; nor does what somebody makes up who has not seen this very fragment. Somebody who can stop
 * a fragment and change it on its way could find another payload with the same checksum: a seal is no encryption. Not
 * thread-safe.
 */
final class Seal {

    /** Bytes of one. */
    static final int BYTES = 8;

    private final SipHash sent;
    private final SipHash received;

    private Seal(SipHash sent, SipHash received) {
        this.sent = sent;
        this.received = received;
    }

    /** The same pair of keys on both sides, each the other way round. */
    static Seal of(Nonce connecting, Nonce accepting, boolean weConnect) {
        ByteBuffer keys = ByteBuffer.wrap(Sha256.hash(connecting.bytes(), accepting.bytes()));
        SipHash toAccepting = new SipHash(keys.slice(0, SipHash.KEY));
        SipHash toConnecting = new SipHash(keys.slice(SipHash.KEY, SipHash.KEY));
        return weConnect ? new Seal(toAccepting, toConnecting) : new Seal(toConnecting, toAccepting);
    }

    /** Of data that we send: its number, its header (12 bytes from here on) and the checksum of its payload. */
    long ofData(long number, ByteBuffer frame, int header, int checksum) {
        return data(sent, number, frame, header, checksum);
    }

    /** Whether this is what stands behind data that the other side has sent. */
    boolean matchesData(long seal, long number, ByteBuffer frame, int header, int checksum) {
        return seal == data(received, number, frame, header, checksum);
    }

    private static long data(SipHash key, long number, ByteBuffer frame, int header, int checksum) {
        long begin = frame.getLong(header);
        long end = (frame.getInt(header + Long.BYTES) & 0xffff_ffffL) | (long) checksum << 32;
        return key.hash(number, begin, end);
    }

    /** Of a control frame that we send: a number that it shows a part of, or none, and all its bytes. */
    long ofControl(long number, ByteBuffer frame, int from, int length) {
        return sent.hash(number, frame, from, length);
    }

    /** Whether this is what stands behind a control frame that the other side has sent. */
    boolean matchesControl(long seal, long number, ByteBuffer frame, int from, int length) {
        return seal == received.hash(number, frame, from, length);
    }
}
