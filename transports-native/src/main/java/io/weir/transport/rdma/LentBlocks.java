package io.weir.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.ProtocolMismatch;
import org.jspecify.annotations.Nullable;

/** The blocks that the peer knows of and reads, by their number. Belongs to the loop's thread. */
final class LentBlocks {

    private final @Nullable ByteBuf[] blocks = new @Nullable ByteBuf[SlotLayout.LENT];
    private final int[] free = new int[SlotLayout.LENT];
    private int freeCount = SlotLayout.LENT;

    LentBlocks() {
        for (int number = 0; number < free.length; number++) {
            free[number] = free.length - 1 - number;
        }
    }

    boolean hasNumber() {
        return freeCount != 0;
    }

    boolean isEmpty() {
        return freeCount == free.length;
    }

    /** Keeps this until the peer has read it. There must be a number left. */
    int lend(ByteBuf block) {
        int number = free[--freeCount];
        blocks[number] = block;
        return number;
    }

    /**
     * The peer has read it.
     *
     * @throws ProtocolMismatch if it did not have it
     */
    void returned(int number) {
        ByteBuf block = get(number);
        if (block == null) {
            throw new ProtocolMismatch("the peer gives back the block " + number + ", which it does not have");
        }
        blocks[number] = null;
        free[freeCount++] = number;
        block.release();
    }

    /** What is lent by this number, if anything is. */
    @Nullable
    ByteBuf get(int number) {
        return number >= 0 && number < blocks.length ? blocks[number] : null;
    }

    /** Nothing is kept any longer: nobody can read it now. */
    void end() {
        for (int number = 0; number < blocks.length; number++) {
            ByteBuf block = blocks[number];
            if (block != null) {
                blocks[number] = null;
                ReferenceCountUtil.safeRelease(block);
            }
        }
        freeCount = 0;
    }
}
