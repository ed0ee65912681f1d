package io.weir.transport.p4sock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The frames, drawn once. Behind the header of Ethernet (destination, source, type) all numbers have 16 bits in the
 * order of bytes that the host has, so that both ends must have the same. A name has 8 bytes. Fragments are what is
 * numbered; a message is one or more of them.
 *
 * <pre>
 * type 0x0814, data:      0 cito    2 seqno   4 ackno   6 winno   8 len     10 flags (1: the message's last)   12
 *                         payload
 * type 0x0816, control:   0 type    2 zero
 *   SYN (0)                         4 cifrom  6 name    14 seqno  16 address (28 bytes)
 *   SYNACK (1)                      4 cito    6 cifrom  8 seqno   10 ackno  12 error
 *   ACK (3)                         4 cito    6 ackno   8 winno   10 resend
 * </pre>
 *
 * {@code cito} is the receiver's index of the connection, {@code cifrom} the sender's. {@code seqno} counts from 30000
 * and names in a SYN and a SYNACK the fragment that will come first. {@code ackno} names the last one that has come in
 * order, in a SYNACK the first that is expected. {@code winno} names the last one that may be sent. An ACK with
 * {@code resend} says that one is missing. A fragment without payload ends a connection.
 *
 * <p>The address in a SYN is that of the other side: 16 family type (2: Ethernet is 3), 20 MAC, 28 name of the
 * interface (16 bytes); or 20 the IPv4 address and no name, in a SYN to everybody on the wire.
 *
 * <p>All this is ParaStation's (pscom at commit 68af2a6: modules/p4sock/p4prot.h, p4rel.c, p4ether.c). What stands
 * behind it is ours, and a host of ParaStation would not look at it: behind the payload of data, or what a control
 * frame has, a {@link Seal} of 8 bytes; in an ACK before the seal the number of ranges that have come out of order (16)
 * and for each of them the first and the last fragment; and in its {@code resend} a second bit, which says that what is
 * not acknowledged will be delivered to nobody.
 */
final class FrameFormat {

    /** Bytes before what is drawn here. */
    static final int ETHER = 14;

    static final int DATA_TYPE = 0x0814;
    static final int CONTROL_TYPE = 0x0816;

    static final int INDEX = 0;
    static final int SEQUENCE = 2;
    static final int ACKNOWLEDGED = 4;
    static final int WINDOW = 6;
    static final int LENGTH = 8;
    static final int FLAGS = 10;
    /** Where the payload begins. */
    static final int DATA = 12;

    /** A flag: the message ends with this fragment. */
    static final int LAST = 1;

    static final int SYN = 0;
    static final int SYNACK = 1;
    static final int ACK = 3;

    /** Where what a control frame says begins, with the receiver's index except in a SYN. */
    static final int SAID = 4;

    static final int SYN_NAME = 6;
    static final int SYN_SEQUENCE = 14;
    static final int SYN_ADDRESS = 16;
    static final int SYN_BYTES = 44;

    static final int SYNACK_FROM = 6;
    static final int SYNACK_SEQUENCE = 8;
    static final int SYNACK_ACKNOWLEDGED = 10;
    static final int SYNACK_ERROR = 12;
    static final int SYNACK_BYTES = 14;

    static final int ACK_ACKNOWLEDGED = 6;
    static final int ACK_WINDOW = 8;
    static final int ACK_RESEND = 10;
    static final int ACK_BYTES = 12;
    static final int RESEND = 1;
    /** Ours. */
    static final int CLOSING = 2;

    /** Ours: how many ranges follow. */
    static final int ACK_RANGES = 12;

    static final int ACK_RANGE = 14;
    static final int RANGE_BYTES = 4;

    /** Bytes of a name. */
    static final int NAME = 8;

    /** Bytes of the address in a SYN. */
    static final int ADDRESS = 28;

    /** Where it stands in an address. */
    static final int ADDRESS_MAC = 4;

    static final int ADDRESS_DEVICE = 12;

    /** What an address in a SYN says of itself if it is one of Ethernet. */
    static final int ETHERNET_ADDRESS = 3;

    /** The number of the first fragment. */
    static final int FIRST = 30_000;

    /** The last fragment that may be sent before the other side has said how far it lets us. */
    static final int FIRST_WINDOW = FIRST + 100;

    /** Indices that a host has. */
    static final int INDICES = 8192;

    /** What ParaStation leaves free in each frame. */
    static final int SPARE = 50;

    /** The longest payload that a host of ParaStation sends. */
    static final int LONGEST_ORIGINAL = 9000;

    /** The shortest payload that anybody cuts to. */
    static final int SHORTEST = 100;

    private static final VarHandle SHORTS =
            MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.nativeOrder());

    private FrameFormat() {}

    /** A number of 16 bits, without a sign. */
    static int number(ByteBuffer frame, int at) {
        return (short) SHORTS.get(frame, at) & 0xffff;
    }

    /** Writes the lowest 16 bits. */
    static void number(ByteBuffer frame, int at, long value) {
        SHORTS.set(frame, at, (short) value);
    }

    /** The whole number whose lowest 16 bits these are, and which is nearest to a known one. */
    static long nearest(long known, int lowest) {
        return known + (short) (lowest - (int) known);
    }

    /** The payload that fits into a fragment, sealed or as ParaStation cuts it. */
    static int payload(int mtu, boolean sealed) {
        return sealed ? mtu - DATA - Seal.BYTES : Math.max(SHORTEST, Math.min(LONGEST_ORIGINAL, mtu - DATA - SPARE));
    }
}
