package io.weir.transport.elan;

import com.kenai.jffi.MemoryIO;
import java.lang.invoke.VarHandle;

/**
 * Where a link's peer writes what is no message, and what we write there lies before. All numbers have 64 bits; a
 * letter's last one is the receiver's secret, and is written last.
 *
 * <pre>
 *   0  its first slot, bytes from one slot to the next, bytes of a slot, number of slots, its process's number, its
 *      mailbox, what it wants to be shown there,
 *     secret: it is ready
 *  64  secret: it writes and reads nothing more
 *  72  what we write into the peer's: as above
 * </pre>
 *
 * @param address where it begins
 */
record ElanMailbox(long address) {

    static final int BYTES = 192;

    private static final int FIELDS = 7;
    private static final int SECRET = FIELDS * Long.BYTES;
    private static final int BYE = SECRET + Long.BYTES;
    private static final int OURS = BYE + Long.BYTES;

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    /**
     * That a side is ready to receive.
     *
     * @param first slot
     * @param stride bytes from one slot to the next
     * @param slotBytes of a slot, behind which there are eight more
     * @param vp the process
     * @param mailbox its own
     * @param secret to be shown there
     */
    record Hello(long first, long stride, long slotBytes, long slots, long vp, long mailbox, long secret) {}

    /** Whether the peer has said that it is ready. */
    boolean hasHello(long secret) {
        return shows(SECRET, secret);
    }

    Hello hello() {
        return new Hello(field(0), field(1), field(2), field(3), field(4), field(5), field(6));
    }

    private long field(int number) {
        return MEMORY.getLong(address + (long) number * Long.BYTES);
    }

    /** Whether the peer has said that it writes and reads nothing more. */
    boolean hasBye(long secret) {
        return shows(BYE, secret);
    }

    private boolean shows(int at, long secret) {
        boolean there = MEMORY.getLong(address + at) == secret;
        VarHandle.acquireFence();
        return there;
    }

    /** Tells this peer. Returns the event. */
    long send(ElanJob job, Hello hello, int vp, long theirs, long theirSecret) {
        long[] fields = {
            hello.first, hello.stride, hello.slotBytes, hello.slots, hello.vp, hello.mailbox, hello.secret, theirSecret
        };
        for (int i = 0; i < fields.length; i++) {
            MEMORY.putLong(address + OURS + (long) i * Long.BYTES, fields[i]);
        }
        return job.put(address + OURS, theirs, (long) fields.length * Long.BYTES, vp);
    }

    /** Tells this peer. Returns the event. */
    long sendBye(ElanJob job, int vp, long theirs, long theirSecret) {
        MEMORY.putLong(address + OURS + BYE, theirSecret);
        return job.put(address + OURS + BYE, theirs + BYE, Long.BYTES, vp);
    }
}
