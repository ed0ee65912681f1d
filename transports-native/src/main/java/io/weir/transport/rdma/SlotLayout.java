package io.weir.transport.rdma;

import io.weir.core.FrameLayout;
import io.weir.core.LoopBuffers;

/**
 * What one message of the network holds: as many records as were written before it was sent. All numbers are
 * little-endian.
 *
 * <pre>
 *   0  slots that the sender gives back (32), records among these that describe a block (32)
 *   8  records, each at a multiple of 8: a frame as {@link FrameLayout} draws it
 * </pre>
 *
 * <p>One link flag and kind 0 are used here:
 *
 * <pre>
 *  BLOCK     the body lies in the sender's registered memory: instead of it three words stand before the control data:
 *            its address (64), its key (32) and length (32), the number by which it is given back (32), zero (32); the
 *            header's length counts them
 *  RETURNED  kind 0; only a header: the block of this number, in aux, was read
 *  GOODBYE   kind 0; only a header: nothing follows, the sender has closed
 * </pre>
 */
final class SlotLayout {

    static final int BLOCK = 0x10;
    static final int RETURNED = 0x20;
    static final int GOODBYE = 0x40;

    /** Where records begin. */
    static final int RECORDS = 8;

    /** Bytes of the description of a block. */
    static final int BLOCK_WORDS = 24;

    /** Bytes of a record of kind 0. */
    static final int MARK = FrameLayout.HEADER;

    /** The shortest slot: it holds a frame of 32 KiB, whatever its kind. */
    static final int LEAST_SLOT = 36 << 10;

    /** So many slots on each side at least: with fewer, half of the messages would be about credit. */
    static final int LEAST_SLOTS = 8;

    /** Shorter bodies are copied into the slot, which costs less than a second way of the network. */
    static final int LEAST_BLOCK = LoopBuffers.LARGEST + 1;

    /** Longer bodies are cut: who is told of one makes room for it. */
    static final int LONGEST_BLOCK = 64 << 20;

    /** How many blocks a peer may have to read at once. */
    static final int LENT = 256;

    private SlotLayout() {}

    /**
     * Control and body bytes of the longest frame: even if all were control data, a block could be described beside
     * them.
     */
    static int maxFrame(int slotBytes) {
        return slotBytes - RECORDS - FrameLayout.HEADER - 2 * Long.BYTES - BLOCK_WORDS;
    }
}
