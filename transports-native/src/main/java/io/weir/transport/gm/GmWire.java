package io.weir.transport.gm;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.Wire;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One link's share of a {@link GmPort}. What comes is put into its slots by whoever looks at the port, under the port's
 * lock, and told to the link on its loop.
 *
 * <p>GM has no reads for all its releases: who wants to read asks by a message, and the other side writes what was
 * asked for with {@code gm_put}, then says so. Both sides say when they write and send no more, so that memory is given
 * back only when nothing can be on its way into it.
 */
final class GmWire implements Wire {

    /** The kinds of messages. */
    private static final int DATA = 1;
    /** Is ready to receive. */
    private static final int HELLO = 2;
    /** Wants memory written: the peer's address, its key, the length, our address, and a token. */
    private static final int READ = 3;
    /** It is written: the token. */
    private static final int DONE = 4;
    /**
     * Sends and writes nothing more: what its own messages show, so that it hears so too from whoever does not know
     * this link any more.
     */
    static final int BYE = 5;
    /** Not a message: writes into the peer's memory. */
    private static final int PUT = 6;

    /** Both sides keep to it. */
    private static final int READS = 16;

    /** One report for so many messages, if none was asked for earlier. */
    private static final int UNREPORTED = 8;

    private static final long LOOK_NANOS = 50_000;
    /** A peer that lives says at once that it writes no more. */
    private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    /**
     * Something to send: with the numbers that a message of its kind has; of data the address and length, of what is
     * put the peer's address as well.
     */
    private static final class Step {
        int kind;
        final long[] numbers = new long[5];
        int count;
    }

    private final GmPort port;
    private final GmDomain domain;
    private final long link;
    private final Descriptor event;

    private long destination = -1;
    private long theirLink;
    private int theirSlotBytes;
    /** Who has said that it is ready before we knew it. */
    private long greetedBy = -1;

    /** Slots that are ready, in turn, and the messages that have come and were not told of. */
    private final long[] ready;

    private final int[] readyBytes;
    private long readied;
    private long filled;
    private final int[] lengths;
    private long told;

    private final Deque<Step> steps = new ArrayDeque<>();
    private final Deque<Step> spare = new ArrayDeque<>();
    /** Of those that put. */
    private int putting;

    /** Messages that were sent and have arrived, and up to which one the link is to know so, and does. */
    private long dataSent;

    private long dataAsked;
    private long dataLanded;
    private long dataReported;
    private long dataTold;
    /** By message: whether its arrival is to be reported. */
    private final boolean[] reports;

    /** Tokens of reads that are done. */
    private final int[] reads = new int[READS];

    private int readsDone;
    private int readsUnderWay;
    /** Tokens of ours that are used. */
    private int inFlight;

    private boolean queued;
    private boolean armed;
    private boolean closed;
    private boolean saidBye;
    private boolean heardBye;
    private long closedAt;
    private @Nullable Runnable quiet;
    private @Nullable WeirException broken;
    /** Nothing can be sent. */
    private boolean cut;
    /** And there is nobody who could write into our memory. */
    private boolean gone;

    private GmWire(GmPort port, GmDomain domain, int slots) throws NativeFailure {
        this.port = port;
        this.domain = domain;
        this.ready = new long[slots];
        this.readyBytes = new int[slots];
        this.lengths = new int[slots];
        this.reports = new boolean[slots];
        this.event = Posix.event();
        port.lock();
        try {
            this.link = port.add(this);
        } catch (WeirException e) {
            event.close();
            throw e;
        } finally {
            port.unlock();
        }
    }

    /**
     * Makes our half, which takes so many slots from now on.
     *
     * @throws PeerUnavailable if there are too many links
     */
    static GmWire open(GmPort port, GmDomain domain, int slots) {
        try {
            return new GmWire(port, domain, slots);
        } catch (NativeFailure e) {
            throw new PeerUnavailable("a link can't be waited for: " + e.getMessage(), e);
        }
    }

    /** What messages for us have to show. */
    long link() {
        return link;
    }

    /** Returns when the other side is ready too. Not on a loop. */
    void join(GmOffer theirs, BooleanSupplier givenUp) {
        port.lock();
        try {
            destination = GmPort.destination(port.localNode(theirs.globalNode()), theirs.port());
            theirLink = theirs.link();
            theirSlotBytes = theirs.plan().slotBytes();
            step(HELLO, 0, 0, 0, 0, 0, 0);
        } finally {
            port.unlock();
        }
        while (!isJoined()) {
            if (givenUp.getAsBoolean()) {
                throw new PeerUnavailable("the connection was given up");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private boolean isJoined() {
        port.lock();
        try {
            int unused = port.turn();
            if (broken != null) {
                throw new PeerUnavailable(String.valueOf(broken.getMessage()), broken);
            }
            return greetedBy == destination;
        } finally {
            port.unlock();
        }
    }

    // What the port asks and tells, under its lock.

    long theirLink() {
        return theirLink;
    }

    int theirSlotBytes() {
        return theirSlotBytes;
    }

    long destination() {
        return destination;
    }

    boolean isTo(long other) {
        return destination == other;
    }

    boolean isQueued() {
        return queued;
    }

    void queued(boolean now) {
        queued = now;
    }

    boolean hasNext() {
        return !steps.isEmpty();
    }

    void tookOff() {
        inFlight++;
    }

    /** What was sent has arrived. */
    void landed(int kind) {
        inFlight--;
        if (kind == DATA) {
            boolean report = reports[(int) (dataLanded % reports.length)];
            dataLanded++;
            if (report) {
                dataReported = dataLanded;
                news();
            }
        }
    }

    /** What was sent has not. */
    void fallen(WeirException reason) {
        inFlight--;
        cut(reason, false);
    }

    /**
     * Nothing can be sent any more.
     *
     * @param nobody whether there is nobody any more either who could write into our memory
     */
    void cut(WeirException reason, boolean nobody) {
        cut = true;
        gone |= nobody;
        spare.addAll(steps);
        steps.clear();
        breaks(reason);
    }

    /** The link is told so, behind what has come before. */
    private void breaks(WeirException reason) {
        if (broken == null) {
            broken = reason;
            news();
        }
    }

    /** Sends the next thing, with one token. */
    void sendNext() {
        Step next = steps.getFirst();
        long[] numbers = next.numbers;
        if (next.kind == PUT) {
            int bytes = (int) Math.min(GmPort.LONGEST_PUT, numbers[2]);
            port.put(this, PUT, numbers[0], numbers[1], bytes);
            numbers[0] += bytes;
            numbers[1] += bytes;
            numbers[2] -= bytes;
            if (numbers[2] == 0) {
                // It goes on behind what is put, at the same place in the row.
                putting--;
                next.kind = DONE;
                next.count = 1;
                numbers[0] = numbers[3];
            }
            return;
        }
        var unused = steps.removeFirst();
        if (next.kind == DATA) {
            port.send(this, DATA, numbers[0], (int) numbers[1]);
        } else {
            port.send(this, next.kind, numbers, next.count);
        }
        spare.add(next);
    }

    private void step(int kind, int count, long first, long second, long third, long fourth, long fifth) {
        if (cut || saidBye) {
            return;
        }
        Step step = spare.isEmpty() ? new Step() : spare.removeLast();
        step.kind = kind;
        step.count = count;
        step.numbers[0] = first;
        step.numbers[1] = second;
        step.numbers[2] = third;
        step.numbers[3] = fourth;
        step.numbers[4] = fifth;
        steps.add(step);
        port.wants(this);
    }

    /** A message for this link has come from there. */
    void arrived(long from, long kind, long message, int length) {
        try {
            if (kind == HELLO && length == 0) {
                greetedBy = from;
            } else if (kind == BYE && length == Long.BYTES && destination == -1) {
                // Before we have known who it is, and so before we have said anything.
                port.answer(from, MEMORY.getLong(message));
                cut(ended(), true);
            } else if (destination == -1 || from != destination) {
                return;
            } else if (kind == DATA) {
                data(message, length);
            } else if (kind == READ && length == 5 * Long.BYTES) {
                asked(message);
            } else if (kind == DONE && length == Long.BYTES) {
                done(MEMORY.getLong(message));
            } else if (kind == BYE && length == Long.BYTES) {
                heardBye = true;
                bye();
                breaks(ended());
            } else {
                throw GmPort.nonsense("its kind is " + kind + ", its length " + length);
            }
        } catch (WeirException e) {
            breaks(e);
        }
    }

    private static SessionLost ended() {
        return new SessionLost("the peer has ended the link");
    }

    private void data(long message, int length) {
        if (closed || broken != null) {
            return;
        }
        if (filled == readied) {
            throw GmPort.nonsense("no slot is ready for it");
        }
        int place = (int) (filled % ready.length);
        if (length > readyBytes[place]) {
            throw GmPort.nonsense("its " + length + " bytes do not fit into a slot of " + readyBytes[place]);
        }
        MEMORY.copyMemory(message, ready[place], length);
        lengths[place] = length;
        filled++;
        news();
    }

    /** The peer wants memory of ours written into its own. */
    private void asked(long message) {
        long ours = MEMORY.getLong(message);
        long key = MEMORY.getLong(message + 8);
        long bytes = MEMORY.getLong(message + 16);
        if (closed) {
            return;
        }
        if (putting == READS) {
            throw GmPort.nonsense("more than " + READS + " reads at once");
        }
        if (!domain.isReadable(ours, (int) key, bytes)) {
            throw GmPort.nonsense("it wants to read memory that was not offered");
        }
        putting++;
        step(PUT, 0, ours, MEMORY.getLong(message + 24), bytes, MEMORY.getLong(message + 32), 0);
    }

    private void done(long token) {
        if (readsUnderWay == 0 || readsDone == READS) {
            throw GmPort.nonsense("nothing was to be read");
        }
        readsUnderWay--;
        reads[readsDone++] = (int) token;
        news();
    }

    /** The last message. */
    private void bye() {
        if (!saidBye) {
            spare.addAll(steps);
            steps.clear();
            step(BYE, 1, link, 0, 0, 0, 0);
            saidBye = true;
        }
    }

    private boolean hasNews() {
        return told < filled || dataTold < dataReported || readsDone > 0 || broken != null;
    }

    private void news() {
        if (armed && !closed) {
            disarm();
            try {
                Posix.signal(event);
            } catch (NativeFailure e) {
                breaks(new SessionLost("a loop can't be woken: " + e.getMessage(), e));
            }
        }
    }

    private void disarm() {
        if (armed) {
            armed = false;
            port.armed(false);
        }
    }

    /** If it is closed and the board touches none of its memory any more: who is to be told, once. */
    @Nullable
    Runnable quietAt(long now) {
        // The peer writes here only what we have asked for, and we ask nobody who has not greeted us.
        boolean joined = destination != -1 && greetedBy == destination;
        boolean writes = !heardBye && !gone && (readsUnderWay > 0 || !cut);
        boolean over = !writes || !joined || now - closedAt > LEAVE_NANOS;
        return inFlight == 0 && steps.isEmpty() && over ? quiet : null;
    }

    // What the link calls.

    @Override
    public int trailerBytes() {
        return GmPort.TRAILER;
    }

    @Override
    public void receive(long address, int key, int bytes) {
        port.lock();
        try {
            int place = (int) (readied % ready.length);
            ready[place] = address;
            readyBytes[place] = bytes;
            readied++;
        } finally {
            port.unlock();
        }
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        port.lock();
        try {
            boolean asked = report || dataSent - dataAsked == UNREPORTED - 1;
            reports[(int) (dataSent % reports.length)] = asked;
            dataSent++;
            dataAsked = asked ? dataSent : dataAsked;
            step(DATA, 0, address, bytes, 0, 0, 0);
        } finally {
            port.unlock();
        }
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        port.lock();
        try {
            readsUnderWay++;
            step(READ, 5, remoteAddress, remoteKey, bytes, address, token);
        } finally {
            port.unlock();
        }
    }

    @Override
    public int maxReads() {
        return READS;
    }

    @Override
    public int poll(Completions to) {
        if (!port.tryLock()) {
            // Somebody else looks, and leaves us what is ours.
            return 0;
        }
        try {
            disarm();
            int count = port.glance();
            count += tell(to);
            if (broken != null) {
                throw broken;
            }
            return count;
        } finally {
            port.unlock();
        }
    }

    private int tell(Completions to) {
        int count = 0;
        while (told < filled) {
            int place = (int) (told % lengths.length);
            told++;
            to.received(lengths[place]);
            count++;
        }
        if (dataTold < dataReported) {
            dataTold = dataReported;
            to.sent(dataTold);
            count++;
        }
        while (readsDone > 0) {
            int token = reads[0];
            readsDone--;
            System.arraycopy(reads, 1, reads, 0, readsDone);
            to.read(token);
            count++;
        }
        return count;
    }

    @Override
    public boolean arm() {
        port.lock();
        try {
            int unused = port.turn();
            if (hasNews()) {
                return false;
            }
            if (!armed) {
                armed = true;
                port.armed(true);
            }
            return true;
        } finally {
            port.unlock();
        }
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
    public void close(Runnable told) {
        port.lock();
        try {
            if (closed) {
                return;
            }
            disarm();
            closed = true;
            quiet = told;
            closedAt = System.nanoTime();
            event.close();
            if (destination != -1) {
                bye();
            }
            port.closes(this);
        } finally {
            port.unlock();
        }
    }
}
