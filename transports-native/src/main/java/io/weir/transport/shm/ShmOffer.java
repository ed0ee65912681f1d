package io.weir.transport.shm;

import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * What one side offers to the other before they meet on a socket.
 *
 * <pre>
 *  0  magic "WEIR" (32), version (32), as segments begin
 *  8  ring size (32), pool size (32) of what this side sends through
 * 16  nonce (16 bytes): whoever shows it on the socket has seen this offer
 * 32  path of the socket in UTF-8, to the end; empty from the side that connects
 * </pre>
 */
record ShmOffer(SegmentLayout layout, Nonce nonce, String socket) {

    /** Bytes of a socket's path at most: what the system's address has room for. */
    static final int MAX_PATH = 107;

    private static final int HEAD = 32;

    /** The only sockets that we connect to, whatever a peer names. For the system a path ends at the first zero. */
    private static final Pattern SOCKET = Pattern.compile("/\\P{Cntrl}*/shm-[0-9a-f]{32}\\.sock");

    byte[] encode() {
        byte[] path = socket.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(HEAD + path.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(SegmentLayout.MAGIC).putLong(layout.sizes());
        return bytes.put(nonce.bytes()).put(path).array();
    }

    /**
     * Reads what the other side offers.
     *
     * @param listens whether the other side is the one that listens
     * @throws ProtocolMismatch if it can't be used
     */
    static ShmOffer decode(byte[] offer, boolean listens) {
        if (offer.length < HEAD || offer.length > HEAD + MAX_PATH) {
            throw new ProtocolMismatch("the peer's offer for shared memory has " + offer.length + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.wrap(offer).order(ByteOrder.LITTLE_ENDIAN);
        long magic = bytes.getLong();
        if ((int) magic == (int) SegmentLayout.MAGIC && magic != SegmentLayout.MAGIC) {
            throw new ProtocolMismatch("the peer's offer for shared memory is of version " + (magic >>> 32)
                    + ", ours of " + SegmentLayout.VERSION + ": have the same Weir on both sides to use it");
        }
        if (magic != SegmentLayout.MAGIC) {
            throw new ProtocolMismatch("the peer's offer for shared memory begins with " + Long.toHexString(magic)
                    + " instead of " + Long.toHexString(SegmentLayout.MAGIC));
        }
        int ringSize = bytes.getInt();
        int poolSize = bytes.getInt();
        byte[] nonce = new byte[Nonce.BYTES];
        bytes.get(nonce);
        String socket = new String(offer, HEAD, offer.length - HEAD, StandardCharsets.UTF_8);
        if (listens ? !SOCKET.matcher(socket).matches() : !socket.isEmpty()) {
            throw new ProtocolMismatch(
                    "the peer's offer for shared memory names the socket '" + ForeignText.harmless(socket) + "'");
        }
        ShmOffer decoded = new ShmOffer(layout(ringSize, poolSize), new Nonce(nonce), socket);
        if (!Arrays.equals(decoded.encode(), offer)) {
            // Replacement characters could make the path longer than the system takes, which would cut it.
            throw new ProtocolMismatch("the peer's offer for shared memory is not in UTF-8");
        }
        return decoded;
    }

    private static SegmentLayout layout(int ringSize, int poolSize) {
        try {
            return new SegmentLayout(ringSize, poolSize);
        } catch (Misconfigured e) {
            throw new ProtocolMismatch("the peer's offer for shared memory is out of bounds: " + e.getMessage(), e);
        }
    }
}
