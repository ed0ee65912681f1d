package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;

/** What knows the blocks that records of a ring describe. */
interface LentBlocks {

    /**
     * The body that the two words of a block describe; belongs to the caller.
     *
     * @throws io.weir.core.ProtocolMismatch if they describe what can't be
     */
    ByteBuf receive(long place, long slotWord);
}
