package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.transport.nativelib.Mapping;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The memory that a packet socket writes what it receives into, and we read without a call (TPACKET_V2 of
 * linux/if_packet.h). It has slots; each begins with a status, which says whose it is, and the frame's place and
 * length. Belongs to the loop's thread.
 */
final class PacketRing {

    /**
     * Bytes of a slot before the frame: {@code tpacket2_hdr}, {@code sockaddr_ll}, and alignment of what stands behind
     * Ethernet's header.
     */
    static final int BEFORE_FRAME = 66;

    private static final int ALIGNMENT = 16;
    private static final int SMALLEST_BLOCK = 64 << 10;
    private static final int SNAPPED = 8;
    private static final int LENGTH = 4;
    private static final int FRAME_AT = 12;

    private static final int KERNELS = 0;
    private static final int OURS = 1;

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /**
     * How it is laid out.
     *
     * @param slotBytes of each slot
     * @param blockBytes of each block, in which slots lie
     * @param blocks how many there are
     */
    record Layout(int slotBytes, int blockBytes, int blocks) {

        /** For frames of up to so many bytes, with Ethernet's header, in about so many bytes of memory. */
        static Layout of(int frameBytes, int bytes) {
            int slot = (BEFORE_FRAME + frameBytes + ALIGNMENT - 1) & -ALIGNMENT;
            int block = SMALLEST_BLOCK;
            while (block < slot || (block < 4 * slot && block < bytes / 2)) {
                block *= 2;
            }
            return new Layout(slot, block, Math.max(1, bytes / block));
        }

        int slotsInBlock() {
            return blockBytes / slotBytes;
        }

        int slots() {
            return blocks * slotsInBlock();
        }

        int bytes() {
            return blocks * blockBytes;
        }
    }

    private final Mapping mapping;
    private final ByteBuffer memory;
    private final ByteBuf view;
    private final int[] slots;
    private int current;

    PacketRing(Mapping mapping, Layout layout) {
        this.mapping = mapping;
        this.memory = mapping.memory().duplicate().order(ByteOrder.nativeOrder());
        this.view = Unpooled.wrappedBuffer(memory);
        this.slots = new int[layout.slots()];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = i / layout.slotsInBlock() * layout.blockBytes() + i % layout.slotsInBlock() * layout.slotBytes();
        }
    }

    /** All of it. */
    ByteBuffer memory() {
        return memory;
    }

    /** The same. */
    ByteBuf view() {
        return view;
    }

    /** Whether a frame has come. */
    boolean hasNext() {
        return ((int) INTS.getAcquire(memory, slots[current]) & OURS) != 0;
    }

    /** Where the frame that has come begins, with Ethernet's header. */
    int frame() {
        return slots[current] + (memory.getShort(slots[current] + FRAME_AT) & 0xffff);
    }

    /** How many bytes of it are here; negative if that is not all of it. */
    int length() {
        int slot = slots[current];
        int here = memory.getInt(slot + SNAPPED);
        return here == memory.getInt(slot + LENGTH) ? here : -1;
    }

    /** The frame is not needed any more. */
    void next() {
        INTS.setRelease(memory, slots[current], KERNELS);
        current = current + 1 == slots.length ? 0 : current + 1;
    }

    void close() {
        mapping.release();
    }
}
