package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.stream.Greeting;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Where the accepting side awaits the link, and how it knows it: 16 bytes that nobody can guess, then the address in
 * UTF-8. The connecting side begins with a HELLO whose body is WEIR and these bytes.
 *
 * @param nonce not copied
 * @param address an IP address and a port
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared as a record.
record DataOffer(byte[] nonce, PeerAddress address) {

    private static final int NONCE = 16;
    private static final int LONGEST = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    static DataOffer at(PeerAddress address) {
        byte[] nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        return new DataOffer(nonce, address);
    }

    /**
     * Reads what the peer offers.
     *
     * @throws ProtocolMismatch if it isn't an offer
     */
    static DataOffer decode(byte[] bytes) {
        if (bytes.length <= NONCE || bytes.length > LONGEST) {
            throw new ProtocolMismatch("the peer's offer for tcp has " + bytes.length + " bytes");
        }
        String text = new String(bytes, NONCE, bytes.length - NONCE, StandardCharsets.UTF_8);
        try {
            PeerAddress address = PeerAddress.parse(text);
            if (!address.isUnix() && address.port() > 0 && TcpOptions.literal(address.host()) != null) {
                return new DataOffer(Arrays.copyOf(bytes, NONCE), address);
            }
        } catch (Misconfigured e) {
            throw new ProtocolMismatch("the peer's offer for tcp names no address", e);
        }
        throw new ProtocolMismatch("the peer's offer for tcp names no IP address and port");
    }

    byte[] encode() {
        byte[] text = address.toString().getBytes(StandardCharsets.UTF_8);
        byte[] bytes = Arrays.copyOf(nonce, NONCE + text.length);
        System.arraycopy(text, 0, bytes, NONCE, text.length);
        return bytes;
    }

    /** The body of the HELLO that proves who has this offer. */
    ByteBuf hello() {
        return Unpooled.buffer(Integer.BYTES + NONCE).writeInt(Greeting.MAGIC).writeBytes(nonce);
    }

    /** Whether this is the body of that HELLO. Takes the same time whatever it is. */
    boolean isHello(ByteBuf body) {
        byte[] theirs = new byte[NONCE];
        if (body.readableBytes() != Integer.BYTES + NONCE) {
            return false;
        }
        body.getBytes(body.readerIndex() + Integer.BYTES, theirs);
        return MessageDigest.isEqual(nonce, theirs);
    }
}
