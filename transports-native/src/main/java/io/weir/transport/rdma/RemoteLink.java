package io.weir.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Pollable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.Nobody;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * A link over a {@link Wire}. What is offered in one turn of the loop goes out as few messages; short bodies in them,
 * long ones that lie in registered memory are read by the peer. Everything but the allocator belongs to the loop's
 * thread.
 *
 * <p>A slot is given back when all that was in it is delivered, so what was not is known here and can be handed back.
 * Slots go back with whatever is sent, or on their own when half of them wait for that.
 */
public final class RemoteLink implements Link, Pollable {

    private static final Logger log = LoggerFactory.getLogger(RemoteLink.class);

    /** Frames handed over in one poll at most, so that other links and tasks get their turn. */
    private static final int BATCH = 256;

    /** So long a closed link waits until the peer has had what was sent. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    /** And so long where its loop ends, and nothing else can happen on it meanwhile. */
    private static final Duration LAST_FAREWELL = Duration.ofMillis(200);

    private static final long LOOK_NANOS = 50_000;

    /** What is there instead of the memory when the link has ended: every access fails, none touches what is gone. */
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    /** Before the first handler and after the end. */
    private static final LinkHandler NOBODY = Nobody.INSTANCE;

    private enum State {
        OPEN,
        /** Nothing is offered or delivered any more; what was sent has to arrive. */
        LEAVING,
        ENDED
    }

    private final String transport;
    private final NettyLoop loop;
    private final String peer;
    private final Wire wire;
    private final LinkMemory memory;
    private final RegisteredPool pool;
    private final Runnable afterwards;

    private final ByteBufAllocator allocator;
    private final int maxFrame;
    private final SendingSlots slots;
    private final SlotReader reader;
    private final SlotReader ahead;
    private final RemoteReads reads;
    private final LentBlocks lent = new LentBlocks();
    private final Disposable watch;
    private final Disposable atLoopEnd = this::endNow;
    private final Runnable turnEnd = this::turnEnd;
    private final Wire.Completions completions = new Happened();

    /** By slot: bytes of the message in it. */
    private final int[] arrivedBytes;

    private final int slotsToOwe;
    /** How many messages have come, and of how many everything is delivered. */
    private long arrived;

    private long delivered;
    /** The message at {@link #delivered} is being delivered. */
    private boolean inSlot;
    /** Its next frame's body has not come yet. */
    private boolean bodyAwaited;

    /** Slots that were delivered and not given back. */
    private int owed;
    /** Blocks that we have read and not given back. */
    private final Deque<Integer> read = new ArrayDeque<>();

    private State state = State.OPEN;
    private LinkHandler handler = NOBODY;
    private boolean turnEndLeft;

    /** An offer said no, and the handler waits for room. */
    private boolean waiting;

    private boolean numberNeeded;

    private boolean goodbyeDue;
    private boolean peerHasClosed;
    private @Nullable Disposable limit;
    /** Why the link will end when what has come is delivered. */
    private @Nullable WeirException broken;

    /**
     * Makes a link of a connected wire, whose slots are {@link LinkMemory#makeReady ready}. On the loop's thread.
     *
     * @param transport the path's name
     * @param memory belongs to the link from here on, as do the wire and the pool
     * @param afterwards called once, on any thread, when the wire is closed and quiet, and the memory and the pool are
     *     closed
     */
    public RemoteLink(
            String transport,
            NettyLoop loop,
            String peer,
            Wire wire,
            LinkMemory memory,
            RegisteredPool pool,
            Runnable afterwards) {
        this.transport = transport;
        this.loop = loop;
        this.peer = peer;
        this.wire = wire;
        this.memory = memory;
        this.pool = pool;
        this.afterwards = afterwards;
        this.allocator = loop.buffers().before(pool);
        this.maxFrame = SlotLayout.maxFrame(memory.sending().slotBytes());
        this.slots = new SendingSlots(memory, wire);
        this.reader = new SlotReader(memory.mapping().memory(), loop.buffers());
        this.ahead = new SlotReader(memory.mapping().memory(), loop.buffers());
        this.reads = new RemoteReads(wire, pool, memory);
        this.arrivedBytes = new int[memory.receiving().slots()];
        this.slotsToOwe = memory.sending().slots() / 2;
        this.watch = loop.watch(wire.descriptor(), this::awakened);
        loop.closeAtEnd(atLoopEnd);
        // From the first moment, as what we send is given back whether or not somebody waits for what comes.
        loop.add(this);
    }

    @Override
    public String transport() {
        return transport;
    }

    @Override
    public int maxFrame() {
        return maxFrame;
    }

    @Override
    public boolean takesLent() {
        return true;
    }

    @Override
    public boolean takesInPlace(ByteBuf body) {
        return place(body) != null;
    }

    /** Where this body lies if the peer can read it from there, and it is worth that. */
    private RegisteredPool.@Nullable Place place(ByteBuf body) {
        int length = body.readableBytes();
        return length >= SlotLayout.LEAST_BLOCK && length <= SlotLayout.LONGEST_BLOCK ? pool.place(body) : null;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean offer(Frame frame) {
        // First, as a link that has ended no longer knows what lies in its memory.
        if (state != State.OPEN || broken != null) {
            return false;
        }
        check(frame);
        try {
            boolean taken = write(frame);
            waiting |= !taken;
            leaveTurnEnd();
            return taken;
        } catch (WeirException e) {
            broken = e;
            return false;
        }
    }

    private void check(Frame frame) {
        if (frame.hasRegion()) {
            throw new IllegalArgumentException("the path " + transport + " takes no file regions: " + frame);
        }
        if ((frame.flags() & Frame.LINK_FLAGS) != 0) {
            throw new IllegalArgumentException("the flags of " + frame + " are the link's own");
        }
        boolean tooLong = frame.length() > maxFrame && (frame.isLent() || !takesInPlace(frame.body()));
        if (tooLong || frame.control().length > Math.min(FrameLayout.MAX_CONTROL, maxFrame)) {
            throw new IllegalArgumentException(frame + " exceeds " + maxFrame + " bytes");
        }
    }

    private boolean write(Frame frame) {
        RegisteredPool.Place place = frame.isLent() ? null : place(frame.body());
        numberNeeded = place != null && frame.length() > maxFrame && !lent.hasNumber();
        if (numberNeeded) {
            return false;
        }
        if (place != null && lent.hasNumber()) {
            if (!hasRoom(SendingSlots.sizeOfDescription(frame))) {
                return false;
            }
            slots.write(frame, place, lent.lend(frame.body()));
            return true;
        }
        if (!hasRoom(SendingSlots.size(frame))) {
            return false;
        }
        slots.write(frame);
        frame.releaseBody();
        return true;
    }

    /** Sends what is full, and opens the next slot if there is one. */
    private boolean hasRoom(int bytes) {
        if (slots.fits(bytes)) {
            return true;
        }
        if (slots.isOpen()) {
            send(false);
        }
        if (!slots.mayOpen(owed)) {
            return false;
        }
        slots.open();
        return true;
    }

    private void send(boolean last) {
        slots.send(owed, last);
        owed = 0;
    }

    private boolean wouldTake() {
        return (!numberNeeded || lent.hasNumber()) && slots.mayOpen(owed);
    }

    @Override
    public void handler(LinkHandler handler) {
        if (state == State.OPEN) {
            this.handler = handler;
        }
    }

    @Override
    public void close() {
        if (state != State.OPEN) {
            return;
        }
        if (broken != null) {
            free();
            return;
        }
        goodbyeDue = true;
        leave();
    }

    private void leave() {
        state = State.LEAVING;
        handler = NOBODY;
        limit = loop.schedule(this::free, FAREWELL);
        leaveTurnEnd();
    }

    /** What the peer has not given back lies in our slots, and what it was lent in our blocks. */
    @Override
    public boolean handBack(Consumer<Frame> to) {
        SlotReader kept = new SlotReader(memory.mapping().memory(), loop.buffers());
        for (long number = slots.firstKept(); number < slots.lastKept(); number++) {
            slots.begin(kept, number);
            for (SlotReader.Found found = kept.next(); found != SlotReader.Found.NOTHING; found = kept.next()) {
                if (found == SlotReader.Found.FRAME) {
                    to.accept(kept.frame());
                } else if (found == SlotReader.Found.BLOCK) {
                    to.accept(kept.frame(lentBefore(kept)));
                }
            }
        }
        return true;
    }

    /**
     * A block that the peer has given back was delivered, though its slot has not come back yet: whoever has the frame
     * does not send it again.
     */
    private ByteBuf lentBefore(SlotReader kept) {
        ByteBuf block = lent.get(kept.blockNumber());
        RegisteredPool.Place place = block == null ? null : pool.place(block);
        if (block == null
                || place == null
                || place.address() != kept.blockAddress()
                || block.readableBytes() != kept.blockLength()) {
            return Unpooled.EMPTY_BUFFER;
        }
        return block.retainedSlice();
    }

    @Override
    public int poll() {
        if (state == State.ENDED) {
            return 0;
        }
        try {
            int work = broken == null ? look() : 0;
            work += deliver();
            if (state == State.ENDED) {
                return work;
            }
            if (broken != null && !waitsForHandler() && !hasMore()) {
                fail(broken);
                return 1;
            }
            if (state == State.LEAVING) {
                flush();
                if (hasLeft()) {
                    free();
                    return 1;
                }
            }
            if (waiting && state == State.OPEN && broken == null && wouldTake()) {
                waiting = false;
                handler.writable();
                work++;
            }
            return work;
        } catch (WeirException e) {
            failsHere(e);
        } catch (Throwable e) {
            loop.linkFailed(e);
            failsHere(new SessionLost("the link to " + peer + " has ended because its receiver failed: " + e, e));
        }
        return 1;
    }

    private int look() {
        try {
            return wire.poll(completions);
        } catch (WeirException e) {
            broken = e;
            return 1;
        }
    }

    /** Whether something that has come can still be delivered, also when nothing more comes. */
    private boolean hasMore() {
        return !waitsForHandler() && delivered < arrived && !bodyAwaited;
    }

    /** What comes before there is a handler waits for it. */
    private boolean waitsForHandler() {
        return handler == NOBODY && state == State.OPEN;
    }

    private boolean hasLeft() {
        boolean allGiven = !goodbyeDue && read.isEmpty() && slots.hasArrived();
        return allGiven && (peerHasClosed || lent.isEmpty());
    }

    private int deliver() {
        int count = 0;
        if (waitsForHandler()) {
            return 0;
        }
        while (count < BATCH && delivered < arrived) {
            int slot = (int) (delivered % arrivedBytes.length);
            if (!inSlot) {
                reader.begin(messageIndex(slot, arrivedBytes[slot]), arrivedBytes[slot]);
                inSlot = true;
            }
            SlotReader.Found found = bodyAwaited ? SlotReader.Found.BLOCK : reader.next();
            if (found == SlotReader.Found.NOTHING) {
                emptied(slot);
            } else if (found == SlotReader.Found.BLOCK && !takeBody()) {
                break;
            } else {
                took(found);
            }
            count++;
            if (state == State.ENDED) {
                return count;
            }
        }
        if (count != 0) {
            flush();
        }
        return count;
    }

    private int messageIndex(int slot, int bytes) {
        return memory.receivingIndex(slot) + wire.offset(memory.receiving().slotBytes(), bytes);
    }

    private void took(SlotReader.Found found) {
        switch (found) {
            case FRAME -> {
                if (state == State.OPEN) {
                    handler.frame(reader.frame());
                }
            }
            case RETURNED -> lent.returned(reader.returned());
            case GOODBYE -> goodbye();
            case BLOCK, NOTHING -> {}
        }
    }

    /** Hands over the frame whose body was read; false if that is not here yet. */
    private boolean takeBody() {
        if (state != State.OPEN) {
            bodyAwaited = false;
            return true;
        }
        ByteBuf body = reads.takeFirst();
        bodyAwaited = body == null;
        if (body == null) {
            if (reads.count() == 0) {
                throw new ProtocolMismatch("the peer has sent a block without saying so at the message's beginning");
            }
            if (broken == null) {
                reads.begin();
            }
            return false;
        }
        read.add(reader.blockNumber());
        handler.frame(reader.frame(body));
        if (broken == null && state == State.OPEN) {
            reads.begin();
        }
        return true;
    }

    private void emptied(int slot) {
        inSlot = false;
        delivered++;
        // What comes after the end is delivered to nobody, and so not given back: the peer can send it elsewhere.
        if (state == State.OPEN && broken == null) {
            owed++;
            memory.makeReady(wire, slot);
        }
    }

    private void goodbye() {
        peerHasClosed = true;
        if (state != State.OPEN) {
            return;
        }
        LinkHandler told = handler;
        leave();
        told.lost(new SessionLost(peer + " has closed the link of the path " + transport));
    }

    /** The wire is sound, and the peer, which would not notice otherwise, is told. */
    private void failsHere(WeirException reason) {
        if (state == State.LEAVING) {
            free();
        } else if (state == State.OPEN) {
            LinkHandler told = handler;
            goodbyeDue = true;
            leave();
            told.lost(reason);
        }
    }

    /** On the loop's thread, when the wire has found that something has happened. */
    private final class Happened implements Wire.Completions {

        @Override
        public void received(int bytes) {
            int slot = (int) (arrived % arrivedBytes.length);
            int index = messageIndex(slot, bytes);
            arrivedBytes[slot] = bytes;
            arrived++;
            ahead.begin(index, bytes);
            long head = ahead.head(index);
            slots.returned((int) head);
            if (head >>> 32 != 0) {
                readAhead();
            }
        }

        @Override
        public void sent(long number) {
            slots.done(number);
        }

        @Override
        public void read(int token) {
            reads.arrived(token);
        }
    }

    /** The bodies of a message are on their way while what came before it is delivered. */
    private void readAhead() {
        for (SlotReader.Found found = ahead.next(); found != SlotReader.Found.NOTHING; found = ahead.next()) {
            if (found == SlotReader.Found.BLOCK) {
                if (reads.count() == SlotLayout.LENT) {
                    throw new ProtocolMismatch("the peer describes more than " + SlotLayout.LENT + " blocks at once");
                }
                reads.add(ahead.blockAddress(), ahead.blockKey(), ahead.blockLength());
            }
        }
        reads.begin();
    }

    private void leaveTurnEnd() {
        if (!turnEndLeft) {
            turnEndLeft = true;
            loop.atTurnEnd(turnEnd);
        }
    }

    private void turnEnd() {
        turnEndLeft = false;
        if (state == State.ENDED || broken != null) {
            return;
        }
        try {
            flush();
        } catch (WeirException e) {
            broken = e;
        }
    }

    /** Sends what is written, and what has to be given back. */
    private void flush() {
        if (broken != null || state == State.ENDED) {
            return;
        }
        boolean leaving = state == State.LEAVING;
        boolean last = leaving && (!read.isEmpty() || goodbyeDue || slots.isOpen());
        while (!read.isEmpty() && hasRoom(SlotLayout.MARK)) {
            slots.mark(SlotLayout.RETURNED, read.remove());
        }
        if (goodbyeDue && read.isEmpty() && hasRoom(SlotLayout.MARK)) {
            slots.mark(SlotLayout.GOODBYE, 0);
            goodbyeDue = false;
        }
        if (!slots.isOpen() && owed >= slotsToOwe && slots.mayOpen(owed)) {
            slots.open();
        }
        if (slots.isOpen()) {
            send(last);
        }
    }

    @Override
    public boolean asleep() {
        if (broken != null && waitsForHandler()) {
            // It comes on this loop, and is told everything.
            return true;
        }
        if (broken != null || hasMore() || (state == State.LEAVING && hasLeft())) {
            return false;
        }
        try {
            return wire.arm();
        } catch (WeirException e) {
            broken = e;
            return false;
        }
    }

    @Override
    public void awake() {
        // The descriptor says what has happened.
    }

    private void awakened() {
        if (broken != null) {
            // Nothing that happens from here on is of interest, and it would wake us again and again.
            watch.dispose();
        }
        if (state == State.ENDED || broken != null) {
            return;
        }
        try {
            wire.awake();
        } catch (WeirException e) {
            broken = e;
        }
    }

    private void fail(WeirException reason) {
        if (state == State.ENDED) {
            return;
        }
        LinkHandler told = handler;
        state = State.ENDED;
        try {
            told.lost(reason);
        } finally {
            release();
        }
    }

    /** The loop ends: what was sent gets a moment to arrive, in which nothing else happens here. */
    private void endNow() {
        if (state == State.ENDED) {
            return;
        }
        if (state == State.OPEN) {
            goodbyeDue = true;
            state = State.LEAVING;
            handler = NOBODY;
        }
        long until = System.nanoTime() + LAST_FAREWELL.toNanos();
        turnEnd();
        while (state != State.ENDED && broken == null && !hasLeft() && System.nanoTime() - until < 0) {
            int work = poll();
            turnEnd();
            if (work == 0) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
        free();
    }

    private void free() {
        if (state != State.ENDED) {
            state = State.ENDED;
            release();
        }
    }

    private void release() {
        loop.remove(this);
        loop.forget(atLoopEnd);
        if (limit != null) {
            limit.dispose();
        }
        watch.dispose();
        slots.end(NOTHING);
        reader.end(NOTHING);
        ahead.end(NOTHING);
        wire.close(this::freeMemory);
        if (!read.isEmpty() || goodbyeDue) {
            log.debug("The link of the path {} to {} has ended before all was told to it", transport, peer);
        }
    }

    /** When the device touches none of it any more, and nothing else is done here. */
    private void freeMemory() {
        reads.end();
        lent.end();
        memory.close();
        pool.close();
        afterwards.run();
    }
}
