package io.weir.transport.elan;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.SlotPlan;
import io.weir.transport.rdma.Wire;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One link over Elan. A message is written into the peer's next slot by one put, which ends at the end of the slot with
 * a word that says which message it is, and how long: as the last eight bytes of a put come last, who sees the word has
 * the message. (ParaStation relies on that order; it is not documented.) So receiving is looking at memory, without any
 * call.
 *
 * <p>What is put can be neither seen nor called back by the library, and an adapter that uses a process's page tables
 * writes wherever it was told. So memory that the peer knows of is given back only when the peer has said that it
 * writes and reads nothing more, which it says when all that it had begun is done; that of a peer that never says so,
 * as its process has died, stays as long as this process.
 */
final class ElanWire implements Wire {

    /** Both sides keep to it. */
    private static final int READS = 16;

    /** One report for so many messages, if none was asked for earlier. */
    private static final int UNREPORTED = 8;

    private static final long LOOK_NANOS = 50_000;

    /** So long a peer that was told of us may take to answer, if we have not heard of it yet. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Who has not said its last word by then has probably died. */
    private static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long WORD = 0xffff_ffffL;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private static final Logger log = LoggerFactory.getLogger(ElanWire.class);

    private final ElanJob job;
    private final ElanMailbox mailbox;
    private final long secret;
    private final Descriptor event;

    // The peer, when it is known.
    private int vp = -1;
    private long theirMailbox;
    private long theirSecret;
    private long theirFirst;
    private long theirStride;
    private int theirSlotBytes;
    private int theirSlots;

    /** Slots that are ready, in turn. */
    private final long[] ready;

    private final int[] readyBytes;
    private long readied;
    private long filled;

    /** Messages that were sent, the last one whose arrival is to be told, and the last that was told. */
    private long sent;

    private long asked;
    private long told;

    // What follows is read and changed under the job's lock.

    /** By message: what its put is known by, and whether its arrival is to be told. */
    private final long[] puts;

    private final boolean[] reports;
    /** Messages that have arrived, and the last of them that is to be told. */
    private long arrived;

    private long reported;

    /** What reads are known by; 0 where none is. */
    private final long[] gets = new long[READS];

    private final int[] tokens = new int[READS];
    private int readsUnderWay;
    /** Tokens of those that are done. */
    private final int[] doneReads = new int[READS];

    private int readsDone;

    private long helloEvent;
    private long byeEvent;
    /** The peer knows where our memory is. */
    private boolean saidHello;

    private boolean saidBye;
    private volatile boolean armed;
    private boolean closed;
    private long closedAt;
    private @Nullable Runnable quiet;

    private ElanWire(ElanJob job, int slots) throws NativeFailure {
        this.job = job;
        this.ready = new long[slots];
        this.readyBytes = new int[slots];
        this.puts = new long[slots];
        this.reports = new boolean[slots];
        this.event = Posix.event();
        this.secret = random();
        job.lock();
        try {
            this.mailbox = job.takeMailbox();
            job.add(this);
        } catch (WeirException e) {
            event.close();
            throw e;
        } finally {
            job.unlock();
        }
    }

    private static long random() {
        long number = RANDOM.nextLong();
        return number == 0 ? 1 : number;
    }

    /**
     * Makes our half, which takes so many slots from now on.
     *
     * @throws PeerUnavailable if there are too many links
     */
    static ElanWire open(ElanJob job, int slots) {
        try {
            return new ElanWire(job, slots);
        } catch (NativeFailure e) {
            throw new PeerUnavailable("a link can't be waited for: " + e.getMessage(), e);
        }
    }

    /** Where the peer writes what is no message. */
    long mailbox() {
        return mailbox.address();
    }

    /** What it has to show there. */
    long secret() {
        return secret;
    }

    /** Returns when the other side is ready too. Not on a loop. */
    void join(ElanOffer theirs, BooleanSupplier givenUp) {
        ElanMailbox.Hello hello = new ElanMailbox.Hello(
                ready[0],
                ready[1] - ready[0],
                readyBytes[0],
                readied,
                job.membership().vp(),
                mailbox.address(),
                secret);
        job.lock();
        try {
            vp = theirs.vp();
            theirMailbox = theirs.mailbox();
            theirSecret = theirs.secret();
            saidHello = true;
            helloEvent = mailbox.send(job, hello, vp, theirMailbox, theirSecret);
        } finally {
            job.unlock();
        }
        while (!isJoined()) {
            if (givenUp.getAsBoolean()) {
                throw new PeerUnavailable("the connection was given up");
            }
            if (mailbox.hasBye(secret)) {
                throw new PeerUnavailable("the peer has given the connection up");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        take(mailbox.hello());
    }

    private boolean isJoined() {
        job.lock();
        try {
            reap();
            return helloEvent == 0 && mailbox.hasHello(secret);
        } finally {
            job.unlock();
        }
    }

    private void take(ElanMailbox.Hello hello) {
        check(
                hello.vp() == vp && hello.mailbox() == theirMailbox && hello.secret() == theirSecret,
                "it comes from somebody else");
        check(hello.slots() >= 1 && hello.slots() <= SlotPlan.MOST_SLOTS, "it tells of " + hello.slots() + " slots");
        boolean sound = hello.slotBytes() >= Long.BYTES
                && hello.slotBytes() <= SlotPlan.MOST_BYTES
                && hello.slotBytes() % Long.BYTES == 0
                && hello.stride() >= hello.slotBytes() + Long.BYTES
                && hello.stride() <= 2L * SlotPlan.MOST_BYTES
                && hello.stride() % Long.BYTES == 0;
        check(sound, "it tells of slots of " + hello.slotBytes() + " bytes, one each " + hello.stride());
        check(ElanOffer.isPlace(hello.first()), "it tells of a slot at " + Long.toHexString(hello.first()));
        theirFirst = hello.first();
        theirStride = hello.stride();
        theirSlotBytes = (int) hello.slotBytes();
        theirSlots = (int) hello.slots();
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw nonsense(otherwise);
        }
    }

    private static ProtocolMismatch nonsense(String what) {
        return new ProtocolMismatch("what the peer has written over elan can't be used: " + what);
    }

    @Override
    public int trailerBytes() {
        // The word, at a multiple of its length.
        return 2 * Long.BYTES;
    }

    @Override
    public int offset(int slotBytes, int bytes) {
        return slotBytes - whole(bytes);
    }

    private static int whole(int bytes) {
        return bytes + Long.BYTES - 1 & -Long.BYTES;
    }

    @Override
    public void receive(long address, int key, int bytes) {
        int place = (int) (readied % ready.length);
        ready[place] = address;
        readyBytes[place] = bytes;
        readied++;
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        int whole = whole(bytes);
        if (whole > theirSlotBytes) {
            // It would be written over whatever lies before the slot.
            throw new SessionLost(
                    "a message of " + bytes + " bytes does not fit into the peer's slots of " + theirSlotBytes);
        }
        long end = theirFirst + sent % theirSlots * theirStride + theirSlotBytes;
        long number = sent + 1;
        MEMORY.putLong(address + whole, number << Integer.SIZE | bytes);
        job.lock();
        try {
            if (number - arrived > puts.length) {
                throw new IllegalStateException("more messages are under way than were agreed");
            }
            int place = (int) (sent % puts.length);
            reports[place] = report || number - asked == UNREPORTED;
            asked = reports[place] ? number : asked;
            puts[place] = job.put(address, end - whole, whole + Long.BYTES, vp);
            // From here on whoever looks finds it.
            sent = number;
        } finally {
            job.unlock();
        }
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        job.lock();
        try {
            int place = 0;
            while (gets[place] != 0) {
                place++;
            }
            gets[place] = job.get(remoteAddress, address, bytes, vp);
            tokens[place] = token;
        } finally {
            job.unlock();
        }
        readsUnderWay++;
    }

    @Override
    public int maxReads() {
        return READS;
    }

    @Override
    public int poll(Completions to) {
        if (armed) {
            armed = false;
        }
        // Looked at before the messages, all of which have come before it.
        boolean over = mailbox.hasBye(secret);
        int count = 0;
        for (int bytes = next(); bytes >= 0; bytes = next()) {
            filled++;
            count++;
            to.received(bytes);
        }
        if (arrived < sent || told < asked || readsUnderWay > 0) {
            count += tell(to);
        }
        if (over) {
            throw new SessionLost("the peer has ended the link");
        }
        return count;
    }

    /** Bytes of the message that has come into the next slot that is ready; negative if there is none. */
    private int next() {
        if (filled == readied) {
            return -1;
        }
        int place = (int) (filled % ready.length);
        long word = MEMORY.getLong(ready[place] + readyBytes[place]);
        VarHandle.acquireFence();
        int ahead = (int) (word >>> Integer.SIZE) - (int) (filled + 1);
        if (ahead < 0) {
            return -1;
        }
        long bytes = word & WORD;
        if (ahead != 0) {
            throw nonsense("message " + (filled + 1 + ahead) + " where message " + (filled + 1) + " should be");
        }
        if (bytes > readyBytes[place]) {
            throw nonsense(bytes + " bytes in a slot of " + readyBytes[place]);
        }
        return (int) bytes;
    }

    private int tell(Completions to) {
        long number;
        int count = 0;
        job.lock();
        try {
            reap();
            number = reported;
            count = readsDone;
            readsDone = 0;
        } finally {
            job.unlock();
        }
        // Only this thread's reads are added to these, behind what is told here.
        readsUnderWay -= count;
        for (int i = 0; i < count; i++) {
            to.read(doneReads[i]);
        }
        if (told < number) {
            told = number;
            to.sent(number);
            count++;
        }
        return count;
    }

    /** Takes what is done. Asks for all that is not, should the library need to be called for it to go on. */
    private void reap() {
        helloEvent = leftOf(helloEvent);
        while (arrived < sent && job.isDone(puts[(int) (arrived % puts.length)])) {
            boolean report = reports[(int) (arrived % puts.length)];
            arrived++;
            reported = report ? arrived : reported;
        }
        for (int place = 0; place < READS; place++) {
            if (gets[place] != 0 && job.isDone(gets[place])) {
                gets[place] = 0;
                doneReads[readsDone++] = tokens[place];
            }
        }
    }

    private boolean hasNews() {
        boolean message;
        try {
            message = next() >= 0;
        } catch (ProtocolMismatch e) {
            message = true;
        }
        reap();
        return message || mailbox.hasBye(secret) || told < reported || readsDone > 0;
    }

    @Override
    public boolean arm() {
        job.lock();
        try {
            if (hasNews()) {
                return false;
            }
            armed = true;
        } finally {
            job.unlock();
        }
        job.watches();
        return true;
    }

    /** Whether the loop sleeps. Under the job's lock. */
    boolean isArmed() {
        return armed;
    }

    /** Wakes the loop if something has happened. Returns whether it has. Under the job's lock. */
    boolean wake() {
        if (!armed || closed || !hasNews()) {
            return false;
        }
        armed = false;
        try {
            Posix.signal(event);
        } catch (NativeFailure e) {
            log.error("A loop can't be woken", e);
        }
        return true;
    }

    @Override
    public int descriptor() {
        return event.number();
    }

    @Override
    public void awake() {
        try {
            Posix.clear(event);
        } catch (NativeFailure e) {
            throw new SessionLost("what wakes a loop can't be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        close(() -> {});
    }

    @Override
    public void close(Runnable afterwards) {
        job.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            armed = false;
            quiet = afterwards;
            closedAt = System.nanoTime();
            event.close();
            job.closes();
        } finally {
            job.unlock();
        }
    }

    // Under the job's lock, when it is closed.

    boolean isClosed() {
        return closed;
    }

    /** Whether the peer has had time enough for its last word. */
    boolean isOverdue(long now) {
        return now - closedAt > OVERDUE_NANOS;
    }

    /** The peer, for people. */
    int vp() {
        return vp;
    }

    /** Whether nobody touches our memory any more, and this was told. */
    boolean isQuiet() {
        return closed && quiet == null;
    }

    /**
     * Goes on taking leave. Who is to be told, once, that nobody touches our memory any more; null as long as somebody
     * may.
     */
    @Nullable
    Runnable takeQuiet() {
        boolean ownDone = ownIsDone();
        if (vp < 0 && mailbox.hasHello(secret)) {
            // It was told of us before we were of it, and waits for our last word.
            ElanMailbox.Hello hello = mailbox.hello();
            if (hello.vp() >= 0 && hello.vp() < job.membership().nvp() && ElanOffer.isPlace(hello.mailbox())) {
                vp = (int) hello.vp();
                theirMailbox = hello.mailbox();
                theirSecret = hello.secret();
            }
        }
        if (ownDone && vp >= 0 && !saidBye) {
            saidBye = true;
            try {
                byeEvent = mailbox.sendBye(job, vp, theirMailbox, theirSecret);
            } catch (SessionLost e) {
                // Nothing can be done about it here.
                log.warn("Process {} of the job can't be told that a link has ended: {}", vp, e.getMessage());
            }
        }
        Runnable waiting = quiet;
        if (waiting == null || !ownDone || (saidHello && !mailbox.hasBye(secret))) {
            return null;
        }
        quiet = null;
        return waiting;
    }

    private boolean ownIsDone() {
        reap();
        readsDone = 0;
        byeEvent = leftOf(byeEvent);
        boolean reads = false;
        for (long each : gets) {
            reads |= each != 0;
        }
        return arrived == sent && !reads && helloEvent == 0 && byeEvent == 0;
    }

    private long leftOf(long awaited) {
        return awaited == 0 || job.isDone(awaited) ? 0 : awaited;
    }

    /** Whether all is said, and nothing has to be looked after any more. */
    boolean isOver(long now) {
        if (!isQuiet()) {
            return false;
        }
        if (saidBye && byeEvent == 0 && mailbox.hasBye(secret)) {
            job.giveBack(mailbox);
            return true;
        }
        // It may still be written into, so it is nobody's from now on.
        return now - closedAt > ANSWER_NANOS;
    }
}
