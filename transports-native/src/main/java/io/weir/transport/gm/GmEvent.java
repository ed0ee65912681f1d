package io.weir.transport.gm;

import com.kenai.jffi.MemoryIO;

/**
 * Where things stand in an event ({@code gm_recv_event_t} of gm.h 2.0.16 on a host of 64 bits: 64 bytes, all fields
 * big-endian), and the types that matter to us. All others go to {@code gm_unknown}.
 */
final class GmEvent {

    static final int NO_RECV = 0;
    static final int SLEEP = 4;
    static final int RECV = 11;
    static final int HIGH_PEER_RECV = 14;
    static final int FAST_RECV = 15;
    static final int FAST_HIGH_PEER_RECV = 18;

    /** A library that was asked for newer kinds of events sets it (inferred). */
    private static final int NEW = 0x80;

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private GmEvent() {}

    static int type(long event) {
        return MEMORY.getByte(event + 63) & ~NEW & 0xff;
    }

    /** Whether a message has come, and lies in one of our buffers. */
    static boolean isReceived(int type) {
        return type >= RECV && type <= HIGH_PEER_RECV;
    }

    /** Whether a short message has come, and lies in the queue of events until the next one is taken. */
    static boolean isFast(int type) {
        return type >= FAST_RECV && type <= FAST_HIGH_PEER_RECV;
    }

    static long message(long event) {
        return Long.reverseBytes(MEMORY.getLong(event + 32));
    }

    static long buffer(long event) {
        return Long.reverseBytes(MEMORY.getLong(event + 40));
    }

    static int length(long event) {
        return Integer.reverseBytes(MEMORY.getInt(event + 52));
    }

    /** As our board numbers it. */
    static int senderNode(long event) {
        return Short.toUnsignedInt(Short.reverseBytes(MEMORY.getShort(event + 56)));
    }

    static int size(long event) {
        return Byte.toUnsignedInt(MEMORY.getByte(event + 61));
    }

    static int senderPort(long event) {
        return Byte.toUnsignedInt(MEMORY.getByte(event + 62));
    }
}
