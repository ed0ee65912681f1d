package io.weir.transport.gm;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.NativeCallback;
import io.weir.transport.nativelib.NativeFunction;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.rdma.TellingLock;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port of a board, which the links of this process share: its tokens, the buffers that it receives into, and its
 * events. Whoever looks for events takes those of all links, and leaves with each what is its own. One lock is around
 * everything, the calls into the library included, as that wants it; only the thread that waits for events lets go of
 * it meanwhile.
 */
final class GmPort {

    /** Behind each message: what the receiver's link is called (64), and the kind of the message (64). */
    static final int TRAILER = 16;

    /** Pieces of a body that are put at once, so that other links get their turn. */
    static final int LONGEST_PUT = 1 << 20;

    private static final Logger log = LoggerFactory.getLogger(GmPort.class);

    /** Nobody else on the network may guess what a link's messages show. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    /** Tried in this order, as ParaStation does. */
    private static final List<Integer> PORTS = List.of(2, 4, 5, 6, 7);

    private static final int BOARDS = 8;

    /** Messages of up to 4088 bytes come into the small ones. */
    private static final int SMALL_SIZE = 12;

    private static final int SMALL_BUFFERS = 128;
    private static final int LARGE_BUFFERS = 64;

    /** A link's number is its place here, and random digits. */
    private static final int LINKS = 1024;

    /** Our own messages: the longest has five numbers, and the trailer. */
    private static final int CONTROL = 64;

    /** One token is kept for letting a stream go on that has failed. */
    private static final int RESERVED = 1;

    /** Events taken in one turn, so that others get theirs. */
    private static final int LOOK = 64;

    private static final long TICK_NANOS = 1_000_000;

    /** How long opening a port waits until it is closed that was open before. */
    private static final long CLOSING_MILLIS = TimeUnit.SECONDS.toMillis(5);

    /** How long a port that ends answers those who take leave. */
    private static final long ANSWERING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The port in a destination; the node is above it. */
    private static final long NUMBER = 0xffff_ffffL;

    private static final Map<GmOptions.Choice, GmPort> SHARED = new HashMap<>();
    /** Threads that close a port, which nobody can open for so long. */
    private static final Map<GmOptions.Choice, Thread> ENDING = new HashMap<>();

    private static final AtomicInteger OPEN = new AtomicInteger();

    /** A send token that is used. */
    private static final class Flight {
        @Nullable
        GmWire wire;

        int kind;
        long destination;
    }

    private final GmOptions.Choice choice;
    private final GmApi api;
    private final GmApi.Opened opened;
    private final long handle;
    private final int board;
    private final int number;
    private final int globalNode;
    private final int receiveTokens;
    private final int largeSize;
    private final long memory;
    private final long smallAt;
    private final long largeAt;
    private final long largeEnd;
    private final long controlAt;

    private final TellingLock lock = new TellingLock();
    private final Condition mayWork = lock.newCondition();
    private final NativeCallback sent;
    private final NativeCallback rung;
    private final NativeFunction.Arguments nine = new NativeFunction.Arguments(9);
    private final NativeFunction.Arguments six = new NativeFunction.Arguments(6);
    private final ByteBuffer alarm = Structures.allocate(GmApi.ALARM);
    private final Thread waiter;

    private final Flight[] flights;
    private final int[] freeFlights;
    private int freeTokens;
    /** What the library has called back since we have looked: which flight, and how it has ended. */
    private final int[] landed;

    private final int[] landedStatus;
    private int landings;

    /** Buffers that were received into, and are provided again in the next turn. */
    private final long[] emptyBuffers;

    private int emptied;
    /** Messages that a glance takes. */
    private int most = 1;

    private final @Nullable GmWire[] wires = new GmWire[LINKS];
    /** Want a token. */
    private final Deque<GmWire> queue = new ArrayDeque<>();

    private final Deque<Long> streamsToDrop = new ArrayDeque<>();
    private final List<GmWire> closing = new ArrayList<>();
    /** Wires that are open, and those of them whose loop sleeps. */
    private int openWires;

    private int armedWires;
    private boolean ending;
    private long endingSince;
    /** Under the lock of those that are shared. */
    private int holders = 1;

    private GmPort(GmOptions.Choice choice, GmApi api, GmApi.Opened opened, int board, int number) {
        this.choice = choice;
        this.api = api;
        this.opened = opened;
        this.handle = opened.port();
        this.board = board;
        this.number = number;
        this.globalNode = api.toGlobal(opened, api.nodeId(handle));
        this.receiveTokens = api.receiveTokens(handle);
        int tokens = api.sendTokens(handle);
        if (tokens <= RESERVED || receiveTokens < 2) {
            throw new PeerUnavailable("the port " + this + " has " + tokens + " send tokens and " + receiveTokens
                    + " receive tokens, which is too little");
        }
        this.largeSize = Math.max(SMALL_SIZE + 1, GmApi.sizeFor(choice.slotBytes() + TRAILER));
        int large = Math.min(LARGE_BUFFERS, (receiveTokens + 1) / 2);
        int small = Math.min(SMALL_BUFFERS, receiveTokens - large);
        long bytes = ((long) large << largeSize) + ((long) small << SMALL_SIZE) + (long) tokens * CONTROL;
        api.allowRemoteAccess(handle);
        this.memory = api.dmaMalloc(handle, bytes);
        if (memory == 0) {
            throw new PeerUnavailable("the board gives no " + bytes + " bytes of memory for the port " + this);
        }
        this.largeAt = memory;
        this.largeEnd = largeAt + ((long) large << largeSize);
        this.smallAt = largeEnd;
        this.controlAt = smallAt + ((long) small << SMALL_SIZE);
        this.flights = new Flight[tokens];
        this.freeFlights = new int[tokens];
        this.landed = new int[tokens];
        this.landedStatus = new int[tokens];
        this.emptyBuffers = new long[large + small];
        this.freeTokens = tokens;
        for (int i = 0; i < tokens; i++) {
            flights[i] = new Flight();
            freeFlights[i] = i;
        }
        for (int i = 0; i < large; i++) {
            api.provide(handle, largeAt + ((long) i << largeSize), largeSize);
        }
        for (int i = 0; i < small; i++) {
            api.provide(handle, smallAt + ((long) i << SMALL_SIZE), SMALL_SIZE);
        }
        try {
            // After the buffers, since who has none of a size yet makes the sender wait.
            api.accept(handle, 1L << largeSize | 1L << SMALL_SIZE);
        } catch (WeirException e) {
            api.dmaFree(handle, memory);
            throw e;
        }
        this.sent = new NativeCallback(this::sent);
        this.rung = new NativeCallback((first, second, third) -> {});
        api.initializeAlarm(Structures.address(alarm));
        this.waiter = new Thread(this::await, "weir-gm-" + board + '.' + number);
        waiter.setDaemon(true);
        waiter.start();
        OPEN.incrementAndGet();
    }

    /**
     * Opens what is chosen, unless it is open. The caller holds it, and releases it. The first one takes milliseconds,
     * which on a loop is all right only because a node that is open holds it already.
     *
     * @throws PeerUnavailable if there is none, or it is still being closed, with the remedy
     */
    static GmPort acquire(GmOptions.Choice choice) {
        while (true) {
            Thread former;
            synchronized (SHARED) {
                GmPort shared = SHARED.get(choice);
                if (shared != null) {
                    shared.holders++;
                    return shared;
                }
                former = ENDING.get(choice);
                if (former == null || !former.isAlive()) {
                    ENDING.remove(choice);
                    shared = open(choice);
                    SHARED.put(choice, shared);
                    return shared;
                }
            }
            // What this process has sent before lies in memory of the port until it is taken.
            if (!join(former, CLOSING_MILLIS)) {
                throw new PeerUnavailable("a port of a Myrinet board that this process has used before is not closed"
                        + " yet, since its last messages have not arrived; it can be opened later");
            }
        }
    }

    private static GmPort open(GmOptions.Choice choice) {
        GmApi api = GmApi.load(choice.library());
        List<Integer> ports = choice.port() == GmOptions.ANY ? PORTS : List.of(choice.port());
        int first = Math.max(0, choice.board());
        int end = choice.board() == GmOptions.ANY ? BOARDS : first + 1;
        GmApi.Opened last = null;
        for (int port : ports) {
            for (int board = first; board < end; board++) {
                GmApi.Opened opened = api.open(board, port, "weir");
                if (GmStatus.SUCCESS.is(opened.status())) {
                    return made(choice, api, opened, board, port);
                }
                if (last == null || !GmStatus.NO_SUCH_DEVICE.is(opened.status())) {
                    last = opened;
                }
                if (GmStatus.NO_SUCH_DEVICE.is(opened.status())) {
                    end = board;
                }
            }
        }
        throw new PeerUnavailable("no port of a Myrinet board can be opened: "
                + GmStatus.words(last == null ? GmStatus.OK : last.status())
                + "; gm_board_info shows which boards there are, and who uses their ports");
    }

    private static GmPort made(GmOptions.Choice choice, GmApi api, GmApi.Opened opened, int board, int port) {
        try {
            return new GmPort(choice, api, opened, board, port);
        } catch (WeirException e) {
            api.close(opened.port());
            throw e;
        }
    }

    /** How many are open in this process, also those that are being closed. */
    static int open() {
        return OPEN.get();
    }

    /** One holder less. The last one does not wait until the port is closed, so any thread may call. */
    void release() {
        synchronized (SHARED) {
            holders--;
            if (holders > 0) {
                return;
            }
            SHARED.remove(choice);
            Thread thread = new Thread(this::end, waiter.getName() + "-end");
            thread.setDaemon(true);
            ENDING.put(choice, thread);
            thread.start();
        }
    }

    /** Waits so long until the thread has ended, 0 for as long as it takes. Returns whether it has. */
    private static boolean join(Thread thread, long millis) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (thread.isAlive() && (millis == 0 || deadline - System.nanoTime() > 0)) {
            try {
                thread.join(millis);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void end() {
        lock.lock();
        try {
            ending = true;
            endingSince = System.nanoTime();
            mayWork.signal();
            api.setAlarm(handle, Structures.address(alarm), 1, rung.address());
        } finally {
            lock.unlock();
        }
        boolean unused = join(waiter, 0);
        api.cancelAlarm(Structures.address(alarm));
        api.dmaFree(handle, memory);
        api.close(handle);
        sent.close();
        rung.close();
        OPEN.decrementAndGet();
    }

    int globalNode() {
        return globalNode;
    }

    int number() {
        return number;
    }

    /** For people. */
    String details() {
        return this + ", node " + Integer.toUnsignedString(globalNode) + ", " + flights.length + " send tokens, "
                + receiveTokens + " receive tokens";
    }

    @Override
    public String toString() {
        return "board " + board + ", port " + number;
    }

    /** In which size a side whose slots are so long receives a message of so many bytes. */
    static int size(int bytes, int slotBytes) {
        int whole = bytes + TRAILER;
        return whole <= (1 << SMALL_SIZE) - GmApi.SIZE_LOSS
                ? SMALL_SIZE
                : Math.max(SMALL_SIZE + 1, GmApi.sizeFor(slotBytes + TRAILER));
    }

    void lock() {
        lock.lock();
    }

    boolean tryLock() {
        return lock.tryLock();
    }

    /** Behind the last one, what has become quiet meanwhile is told so. */
    void unlock() {
        lock.unlockAndTell();
    }

    /** Another link, whose messages from now on come to it. Returns what they have to show. */
    long add(GmWire wire) {
        int first = ThreadLocalRandom.current().nextInt(LINKS);
        for (int i = 0; i < LINKS; i++) {
            int place = (first + i) % LINKS;
            if (wires[place] == null) {
                wires[place] = wire;
                openWires++;
                long random = RANDOM.nextLong() & -LINKS;
                return (random == 0 ? LINKS : random) | place;
            }
        }
        throw new PeerUnavailable("the port " + this + " has " + LINKS + " links already, and takes no more");
    }

    int localNode(int global) {
        return api.fromGlobal(opened, global);
    }

    long pageBytes() {
        return api.pageBytes();
    }

    void registerMemory(long address, long bytes) {
        lock();
        try {
            long status = api.register(handle, address, bytes);
            if (!GmStatus.SUCCESS.is(status)) {
                throw new PeerUnavailable(bytes + " bytes of memory can't be registered: " + GmStatus.words(status)
                        + "; fewer slots (weir.transport.gm.slots) or less weir.transport.gm.pool-size need less");
            }
        } finally {
            unlock();
        }
    }

    void deregisterMemory(long address, long bytes) {
        lock();
        try {
            long status = api.deregister(handle, address, bytes);
            if (!GmStatus.SUCCESS.is(status)) {
                log.warn("Memory of the port {} can't be deregistered: {}", this, GmStatus.words(status));
            }
        } finally {
            unlock();
        }
    }

    /** Has something to send: does so now if there are tokens, otherwise when its turn comes. */
    void wants(GmWire wire) {
        while (wire.hasNext() && freeTokens > RESERVED) {
            wire.sendNext();
        }
        if (wire.hasNext() && !wire.isQueued()) {
            wire.queued(true);
            queue.add(wire);
        }
    }

    private void serve() {
        while (!streamsToDrop.isEmpty() && freeTokens > 0) {
            drop(streamsToDrop.remove());
        }
        while (freeTokens > RESERVED && !queue.isEmpty()) {
            GmWire next = queue.remove();
            next.queued(false);
            if (next.hasNext()) {
                next.sendNext();
            }
            if (next.hasNext()) {
                next.queued(true);
                queue.add(next);
            }
        }
    }

    /** Sends what lies there, in memory that has room for a trailer behind it. Takes a token. */
    void send(GmWire wire, int kind, long address, int bytes) {
        MEMORY.putLong(address + bytes, wire.theirLink());
        MEMORY.putLong(address + bytes + Long.BYTES, kind);
        transmit(take(wire, kind), address, bytes, size(bytes, wire.theirSlotBytes()), wire.destination());
    }

    private void transmit(int flight, long address, int bytes, int size, long destination) {
        nine.set(0, handle);
        nine.set(1, address);
        nine.set(2, size);
        nine.set(3, bytes + TRAILER);
        nine.set(4, GmApi.LOW_PRIORITY);
        nine.set(5, destination >>> Integer.SIZE);
        nine.set(6, destination & NUMBER);
        nine.set(7, sent.address());
        nine.set(8, flight);
        api.send(nine);
    }

    /** Sends a message of our own. Takes a token. */
    void send(GmWire wire, int kind, long[] content, int count) {
        // Where the flight is that comes next.
        long address = controlAt + (long) freeFlights[freeTokens - 1] * CONTROL;
        for (int i = 0; i < count; i++) {
            MEMORY.putLong(address + (long) i * Long.BYTES, content[i]);
        }
        send(wire, kind, address, count * Long.BYTES);
    }

    /** Writes into the peer's memory. Takes a token. */
    void put(GmWire wire, int kind, long address, long theirs, int bytes) {
        int flight = take(wire, kind);
        nine.set(0, handle);
        nine.set(1, address);
        nine.set(2, theirs);
        nine.set(3, bytes);
        nine.set(4, GmApi.LOW_PRIORITY);
        nine.set(5, wire.destination() >>> Integer.SIZE);
        nine.set(6, wire.destination() & NUMBER);
        nine.set(7, sent.address());
        nine.set(8, flight);
        api.put(nine);
    }

    private int take(GmWire wire, int kind) {
        int index = freeFlights[--freeTokens];
        Flight flight = flights[index];
        flight.wire = wire;
        flight.kind = kind;
        flight.destination = wire.destination();
        wire.tookOff();
        return index;
    }

    /** A stream that has failed stands still until it is told to go on. */
    private void drop(long destination) {
        int index = freeFlights[--freeTokens];
        Flight flight = flights[index];
        flight.wire = null;
        flight.destination = destination;
        six.set(0, handle);
        six.set(1, GmApi.LOW_PRIORITY);
        six.set(2, destination >>> Integer.SIZE);
        six.set(3, destination & NUMBER);
        six.set(4, sent.address());
        six.set(5, index);
        api.dropSends(six);
    }

    /** Called by the library, from within {@code gm_unknown} only; what follows from it is done behind that. */
    private void sent(long port, long flight, int status) {
        lock.lock();
        try {
            if (landings < landed.length) {
                landed[landings] = (int) flight;
                landedStatus[landings] = status;
                landings++;
            }
        } finally {
            lock.unlock();
        }
    }

    private void land() {
        for (int i = 0; i < landings; i++) {
            int index = landed[i];
            Flight flight = flights[index];
            GmWire wire = flight.wire;
            int status = landedStatus[i];
            flight.wire = null;
            freeFlights[freeTokens++] = index;
            if (status != GmStatus.OK) {
                fails(wire, flight.destination, status);
            } else if (wire != null) {
                wire.landed(flight.kind);
            }
        }
        landings = 0;
        serve();
    }

    private void fails(@Nullable GmWire wire, long destination, int status) {
        SessionLost reason = new SessionLost("a message to the peer has failed: " + GmStatus.words(status));
        if (wire != null) {
            wire.fallen(reason);
        }
        if (GmStatus.SEND_DROPPED.is(status)) {
            return;
        }
        // What was sent behind it comes back, to all links with this peer.
        streamsToDrop.add(destination);
        boolean gone = GmStatus.SEND_TARGET_PORT_CLOSED.is(status);
        for (GmWire each : wires) {
            if (each != null && each.isTo(destination)) {
                each.cut(reason, gone);
            }
        }
    }

    /** Takes what has happened, a bounded part of it. Returns how much that was. */
    int turn() {
        return turn(LOOK);
    }

    /**
     * The same for who polls all the time: a message that comes alone does not wait until it is known that none is
     * behind it.
     */
    int glance() {
        return turn(most);
    }

    private int turn(int messages) {
        provideAgain();
        int count = 0;
        int taken = 0;
        while (count < LOOK && taken < messages) {
            long event = api.receive(handle);
            int type = event == 0 ? GmEvent.NO_RECV : GmEvent.type(event);
            if (type == GmEvent.NO_RECV) {
                break;
            }
            taken += take(event, type) ? 1 : 0;
            count++;
        }
        // Twice as many as long as there are more.
        most = taken < messages ? 1 : Math.min(LOOK, 2 * messages);
        settle();
        return count;
    }

    /** What was received into is free again. Not before it is told of, as that can wait. */
    private void provideAgain() {
        while (emptied > 0) {
            long buffer = emptyBuffers[--emptied];
            api.provide(handle, buffer, buffer < largeEnd ? largeSize : SMALL_SIZE);
        }
    }

    /** Whether it was a message. */
    private boolean take(long event, int type) {
        if (GmEvent.isReceived(type)) {
            long buffer = GmEvent.buffer(event);
            arrived(event, buffer, buffer);
            return true;
        }
        if (GmEvent.isFast(type)) {
            arrived(event, GmEvent.message(event), GmEvent.buffer(event));
            return true;
        }
        api.unknown(handle, event);
        land();
        return false;
    }

    private void arrived(long event, long message, long buffer) {
        int length = GmEvent.length(event) - TRAILER;
        long destination = destination(GmEvent.senderNode(event), GmEvent.senderPort(event));
        try {
            if (length >= 0) {
                long link = MEMORY.getLong(message + length);
                long kind = MEMORY.getLong(message + length + Long.BYTES);
                GmWire wire = wires[(int) link & (LINKS - 1)];
                if (wire != null && wire.link() == link) {
                    wire.arrived(destination, kind, message, length);
                } else if (kind == GmWire.BYE && length == Long.BYTES && !isPastAnswering()) {
                    answer(destination, MEMORY.getLong(message));
                }
            }
        } finally {
            if (buffer >= largeAt && buffer < controlAt && emptied < emptyBuffers.length) {
                emptyBuffers[emptied++] = buffer;
            } else {
                log.warn("The library gives a buffer for the port {} that it was not given", this);
            }
        }
    }

    /** Whoever takes leave of a link that is gone waits for the same. It has time if there is no token. */
    void answer(long destination, long link) {
        if (link == 0 || freeTokens <= RESERVED) {
            return;
        }
        int index = freeFlights[--freeTokens];
        Flight flight = flights[index];
        flight.wire = null;
        flight.destination = destination;
        long address = controlAt + (long) index * CONTROL;
        MEMORY.putLong(address, 0);
        MEMORY.putLong(address + Long.BYTES, link);
        MEMORY.putLong(address + 2 * Long.BYTES, GmWire.BYE);
        transmit(index, address, Long.BYTES, SMALL_SIZE, destination);
    }

    static long destination(int node, int port) {
        return (long) node << Integer.SIZE | port;
    }

    /** Tells those that are closed and quiet. */
    private void settle() {
        if (closing.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        closing.removeIf(wire -> {
            Runnable told = wire.quietAt(now);
            if (told == null) {
                return false;
            }
            wires[(int) wire.link() & (LINKS - 1)] = null;
            lock.tell(told);
            return true;
        });
    }

    /** Is closed, and will be quiet. */
    void closes(GmWire wire) {
        openWires--;
        closing.add(wire);
        settle();
        mayWork.signal();
    }

    /** Its loop sleeps, or does no longer. */
    void armed(boolean sleeps) {
        armedWires += sleeps ? 1 : -1;
        if (sleeps) {
            mayWork.signal();
        }
    }

    /**
     * For as long as the port is open: looks for those whose loops sleep, and for those that are closed. Looks as well
     * where there are no links: whoever takes leave of one that is gone keeps its memory until it is answered.
     */
    private void await() {
        lock();
        try {
            while (!isOver()) {
                if (!ending && openWires > 0 && armedWires == 0 && closing.isEmpty()) {
                    // They look themselves.
                    mayWork.awaitUninterruptibly();
                } else if (armedWires < openWires || !closing.isEmpty() || ending) {
                    // The others look, but may be busy with something else for long.
                    tick();
                } else {
                    block();
                }
            }
        } catch (RuntimeException | Error e) {
            log.error("The port {} can't be used any more", this, e);
            breakAll(new SessionLost("the port " + this + " can't be used any more: " + e, e));
        } finally {
            unlock();
        }
    }

    /**
     * Answers lie in our memory until they are taken. GM itself gives up what nobody takes, so that each token comes
     * back.
     */
    private boolean isOver() {
        return ending && freeTokens == flights.length;
    }

    /** Whoever takes leave again and again must not keep this port open. */
    private boolean isPastAnswering() {
        return ending && System.nanoTime() - endingSince > ANSWERING_NANOS;
    }

    private void tick() {
        int unused = turn();
        // Whoever has become quiet is told behind the lock.
        unlock();
        LockSupport.parkNanos(TICK_NANOS);
        lock();
    }

    private void block() {
        provideAgain();
        long event = api.blockingReceive(handle);
        int type = event == 0 ? GmEvent.NO_RECV : GmEvent.type(event);
        if (type == GmEvent.SLEEP) {
            unlock();
            try {
                // Others use the port meanwhile, which the library allows for this event only.
                api.unknown(handle, event);
            } finally {
                lock();
            }
            land();
        } else if (type != GmEvent.NO_RECV) {
            var unusedMessage = take(event, type);
        }
        int unused = turn();
        unlock();
        lock();
    }

    private void breakAll(WeirException reason) {
        for (GmWire each : wires) {
            if (each != null) {
                each.cut(reason, true);
            }
        }
    }

    /** What a message says that is none. */
    static ProtocolMismatch nonsense(String what) {
        return new ProtocolMismatch("the peer's message over gm can't be used: " + what);
    }
}
