package io.weir.channel;

/**
 * Memory for what may have to be sent again, of one session: as much as it should have, or as there is. Loop thread
 * only.
 */
final class Retained {

    private final MemoryAccount.Share memory;
    private final long least;
    private final long most;
    /** 0 before it is wanted, and at its end. */
    private long bytes;

    private boolean ended;

    /** @param most weir.memory.resume, in bytes */
    Retained(MemoryAccount.Share memory, long most) {
        this.memory = memory;
        this.most = most;
        this.least = Math.min(most, MemoryAccount.UNCONFIRMED);
    }

    /** How much may be kept. Takes it from the account when it is called first. */
    long bytes() {
        if (bytes == 0 && !ended) {
            bytes = memory.takeSome(MemoryUse.UNCONFIRMED, least, most);
            if (bytes == 0) {
                memory.take(MemoryUse.UNCONFIRMED, least);
                bytes = least;
            }
        }
        return bytes;
    }

    /** Gives it back. */
    void end() {
        ended = true;
        memory.give(MemoryUse.UNCONFIRMED, bytes, Math.max(0, bytes - least));
        bytes = 0;
    }
}
