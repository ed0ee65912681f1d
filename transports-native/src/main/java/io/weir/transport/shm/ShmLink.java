package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.Lendable;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.Nobody;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * A pair of rings in memory shared with the peer. Everything but the allocator belongs to the loop's thread.
 *
 * <p>Both sides look at their rings in every turn of their loop. Who sleeps says so in the memory, and whoever then
 * publishes, or makes room for one who waits, rings its doorbell. It looks for that in every turn, and once more behind
 * a full fence when it has nothing else to do: a fence waits until the peer's processor has let go of what was written,
 * and only the second look can't miss one who is just falling asleep.
 *
 * <p>On a loop with many links, one without work becomes quiet: it says that it sleeps while the loop goes on with the
 * others, and is looked at again when the peer rings, or when there is something to send.
 */
final class ShmLink implements Link, Lendable {

    private static final Logger log = LoggerFactory.getLogger(ShmLink.class);

    /** Frames handed over in one poll at most, so that other links and tasks get their turn: some 10 us of work. */
    private static final int BATCH = 256;

    /** Who always has something else to do takes the second look after so many turns of the loop. */
    private static final int BUSY_TURNS = 8;

    /**
     * What the rings have instead of their memory when the link has ended: every access fails, none touches what is
     * gone.
     */
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    /** Until the first handler comes, nothing is polled and so nothing delivered. */
    private static final LinkHandler NOBODY = Nobody.INSTANCE;

    private final NettyLoop loop;
    private final ShmPort port;
    private final String peer;
    private final int ringSize;
    private final int maxFrame;
    private final RingReader reader;
    private final RingWriter writer;
    private final BlockPool pool;
    private final ByteBufAllocator allocator;
    private final FrameWriter frames;
    private final ReceivedBlocks received;
    private final Disposable atLoopEnd = this::close;
    private final Runnable turnEnd = this::turnEnd;

    private LinkHandler handler = NOBODY;
    private boolean turnEndLeft;
    private boolean ended;
    /** Not polled, as there has been nothing to do for a while. */
    private boolean quiet;
    /** A turn has used it since the loop has last asked whether it may become quiet. */
    private boolean usedLately;

    /** Turns that have published or told something since we have looked behind a fence whether the peer sleeps. */
    private int unfenced;

    private volatile long wakeUps;

    /** An offer said no, and the handler waits for room. */
    private boolean waiting;

    /** Why the link will end when the ring is drained, up to where a peer that lives no longer can have written. */
    private @Nullable WeirException broken;
    /** What was done by who had borrowed the loop, and has failed. */
    private @Nullable Throwable halfDone;

    private long drainedAt;

    /** Takes over the port. */
    ShmLink(NettyLoop loop, ShmPort port, boolean copyIn, String peer) {
        Segment outgoing = port.outgoing();
        Segment incoming = port.incoming();
        this.loop = loop;
        this.port = port;
        this.peer = peer;
        this.ringSize = incoming.layout().ringSize();
        this.maxFrame = RecordLayout.maxFrame(outgoing.layout().ringSize());
        Growth growth = port.growth();
        this.pool = new BlockPool(outgoing, growth.pool(), wanted -> growPool(growth, wanted));
        BlockAllocator blocks = new BlockAllocator(pool);
        this.allocator = loop.buffers().before(blocks);
        this.writer = new RingWriter(outgoing, growth.ring(), () -> growRing(growth));
        this.frames = new FrameWriter(writer, pool, blocks, maxFrame);
        this.received = new ReceivedBlocks(incoming, copyIn, port.doorbell());
        this.reader = new RingReader(incoming, loop.buffers(), PooledByteBufAllocator.DEFAULT, received);
        loop.closeAtEnd(atLoopEnd);
    }

    ShmPort port() {
        return port;
    }

    private void growRing(Growth growth) {
        growth.growRing(bytes -> {
            try {
                loop.execute(() -> writer.grown(bytes));
            } catch (RejectedExecutionException e) {
                // The loop has ended, and this link with it.
            }
        });
    }

    private void growPool(Growth growth, int wanted) {
        growth.growPool(wanted, pool::grown);
    }

    @Override
    public String transport() {
        return ShmTransport.NAME;
    }

    @Override
    public int maxFrame() {
        return maxFrame;
    }

    @Override
    public boolean takesInPlace(ByteBuf body) {
        return pool.contains(body);
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean offer(Frame frame) {
        if (ended || broken != null) {
            return false;
        }
        try {
            boolean taken = frames.write(frame);
            waiting |= !taken;
            leaveTurnEnd();
            return taken;
        } catch (ProtocolMismatch e) {
            breaks(e);
            return false;
        }
    }

    @Override
    public boolean takesLent() {
        return true;
    }

    @Override
    public void handler(LinkHandler handler) {
        boolean first = this.handler == NOBODY;
        this.handler = handler;
        if (first && !ended) {
            loop.add(this);
        }
    }

    @Override
    public void close() {
        if (!ended) {
            writer.goodbye();
            stop();
            free();
        }
    }

    /**
     * What the peer has not read still lies in our ring, and what it was lent in our blocks. The peer can write there
     * too, so this trusts the ring no more than it does the other one.
     */
    @Override
    public boolean handBack(Consumer<Frame> to) {
        try {
            writer.publish();
            RingReader unread = new RingReader(
                    port.outgoing(),
                    loop.buffers(),
                    PooledByteBufAllocator.DEFAULT,
                    this::lentBefore,
                    writer.readPosition());
            while (unread.position() < writer.position()) {
                RingReader.Found found = unread.read();
                if (found == RingReader.Found.FRAME) {
                    to.accept(unread.frame());
                } else if (found != RingReader.Found.SKIPPED) {
                    return false;
                }
            }
            return true;
        } catch (ProtocolMismatch e) {
            log.warn("What was under way to {} can't be read back from the shared ring: {}", peer, e.getMessage());
            return false;
        }
    }

    /**
     * A block that the peer has given back was read, though it has not said so yet: whoever has the frame does not send
     * it again.
     */
    private ByteBuf lentBefore(long place, long slotWord) {
        ByteBuf block = pool.lent(place, slotWord);
        return block == null ? Unpooled.EMPTY_BUFFER : block;
    }

    /**
     * The peer's end of the socket is closed: it has closed the link, or died. What it published before is still
     * delivered.
     */
    void peerGone() {
        breaks(new SessionLost("the shared-memory link to " + peer
                + " has ended without a goodbye: it has died, or has found the link broken"));
    }

    /** The peer did what it must not do. */
    void breaks(WeirException reason) {
        if (!ended && broken == null) {
            broken = reason;
            drainedAt = reader.position() + ringSize;
            rouse();
        }
    }

    /** As {@link #breaks}, but what has come and was not read is lost as well. */
    private void breaksHere(WeirException reason) {
        breaks(reason);
        drainedAt = reader.position();
    }

    /** Only kept: there may be next to no stack left. */
    @Override
    public void failed(Throwable failure) {
        halfDone = failure;
        if (quiet) {
            quiet = false;
            loop.rouseAllAfterSleep();
        }
    }

    @Override
    public int poll() {
        if (ended) {
            return 0;
        }
        if (halfDone != null) {
            fail(new SessionLost(
                    "the link to " + peer + " has ended because something on it failed halfway: " + halfDone,
                    halfDone));
            return 1;
        }
        if (broken != null && reader.position() >= drainedAt) {
            fail(broken);
            return 1;
        }
        try {
            int work = receive();
            if (work == 0 && unfenced != 0) {
                wakeBehindFence();
            }
            if (!ended && broken != null && (work == 0 || reader.position() >= drainedAt)) {
                fail(broken);
                return 1;
            }
            if (!ended && pool.inFlight() != 0) {
                work += takeBack();
            }
            if (waiting && !ended && frames.wouldTake()) {
                waiting = false;
                handler.writable();
                work++;
            }
            return work;
        } catch (WeirException e) {
            fail(e);
        } catch (Throwable e) {
            loop.linkFailed(e);
            fail(receiverFailed(e));
        }
        return 1;
    }

    /** What ends the link is left for the loop's own thread: others than this link hear of it. */
    @Override
    public int pollLent(IntPredicate channels) {
        if (ended || broken != null || halfDone != null || waiting || handler == NOBODY) {
            return RECALL;
        }
        int count = 0;
        boolean others = false;
        try {
            while (count < BATCH && broken == null && reader.nextIsFor(channels)) {
                if (reader.read() == RingReader.Found.FRAME) {
                    handler.frame(reader.frame());
                }
                count++;
            }
            if (pool.inFlight() != 0) {
                var unused = takeBack();
            }
            others = count < BATCH && reader.hasNext() && !reader.nextIsFor(channels);
        } catch (WeirException e) {
            breaksHere(e);
        }
        if (count != 0) {
            received();
        } else if (unfenced != 0) {
            wakeBehindFence();
        }
        return others || broken != null ? RECALL : count;
    }

    @Override
    public boolean asleep() {
        sayAsleep(reader, writer, waiting);
        if (unfenced != 0) {
            wakeBehindFence();
        }
        boolean rests = broken == null && halfDone == null && !reader.hasNext() && !(waiting && roomAfterAll());
        if (!rests) {
            rouse();
        }
        return rests;
    }

    /**
     * Not while the peer may return blocks, which it does silently. Not in the turn of a message either, as that is
     * published behind this; nor soon after one, since a link that only sends would become quiet again and again.
     */
    @Override
    public boolean becomeQuiet() {
        if (turnEndLeft || usedLately || waiting || pool.inFlight() != 0) {
            usedLately = false;
            return false;
        }
        if (!asleep()) {
            awake();
            return false;
        }
        quiet = true;
        return true;
    }

    /** The peer rings; or there is something to be done here, or to be looked for. */
    void rouse() {
        if (quiet) {
            loop.rouse(this);
            // Behind it: if the stack ends in there, the link still counts as quiet.
            quiet = false;
        }
    }

    /**
     * Has whoever brings us something from now on wake us; what was brought before is seen by looking once more after
     * this.
     */
    static void sayAsleep(RingReader reader, RingWriter writer, boolean waiting) {
        reader.sleeps(true);
        if (waiting) {
            writer.waits(true);
        }
        VarHandle.fullFence();
    }

    @Override
    public void awake() {
        reader.sleeps(false);
        writer.waits(false);
    }

    /** Looks at what wakes us too: true also if the peer's side is broken, which the next poll finds. */
    private boolean roomAfterAll() {
        try {
            return takeBack() > 0 || frames.wouldTake();
        } catch (ProtocolMismatch e) {
            breaks(e);
            return true;
        }
    }

    private int receive() {
        int count = 0;
        while (count < BATCH) {
            RingReader.Found found = reader.read();
            if (found == RingReader.Found.NOTHING) {
                break;
            }
            count++;
            if (found == RingReader.Found.FRAME) {
                handler.frame(reader.frame());
            } else if (found == RingReader.Found.GOODBYE) {
                fail(new SessionLost(peer + " has closed the shared-memory link"));
            }
            if (ended) {
                return count;
            }
        }
        if (count != 0) {
            received();
        }
        return count;
    }

    /** What came is answered with is on its way before anything else is done. */
    private void received() {
        writer.publish();
        reader.tell();
        leaveTurnEnd();
    }

    private SessionLost receiverFailed(Throwable failure) {
        return new SessionLost("the link to " + peer + " has ended because its receiver failed: " + failure, failure);
    }

    private int takeBack() {
        int count = 0;
        if (!pool.hasReturned()) {
            return count;
        }
        for (ByteBuf block; (block = pool.nextReturned()) != null; count++) {
            block.release();
        }
        return count;
    }

    private void leaveTurnEnd() {
        if (!turnEndLeft) {
            loop.atTurnEnd(turnEnd);
            turnEndLeft = true;
            rouse();
        }
    }

    private void turnEnd() {
        turnEndLeft = false;
        if (ended) {
            return;
        }
        usedLately = true;
        writer.publishLast();
        wake(mustWake(writer, reader));
        if (++unfenced >= BUSY_TURNS || handler == NOBODY) {
            wakeBehindFence();
        }
    }

    private void wakeBehindFence() {
        unfenced = 0;
        wake(mustWakeBehindFence(writer, reader));
    }

    @Override
    public long wakeUps() {
        return wakeUps;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes it.
    private void wake(boolean due) {
        if (due) {
            wakeUps++;
            port.doorbell().ring();
        }
    }

    /** Whether the peer must be woken for what was published and told before this. */
    static boolean mustWakeBehindFence(RingWriter writer, RingReader reader) {
        VarHandle.fullFence();
        return mustWake(writer, reader);
    }

    /** As {@link #mustWakeBehindFence}, but may miss who is just falling asleep. Nobody asks for a wake-up twice. */
    static boolean mustWake(RingWriter writer, RingReader reader) {
        boolean sleeps = writer.receiverSleeps();
        boolean waits = reader.senderWaits();
        return sleeps || waits;
    }

    private void fail(WeirException reason) {
        if (!ended) {
            stop();
            try {
                handler.lost(reason);
            } finally {
                free();
            }
        }
    }

    private void stop() {
        ended = true;
        // Before the memory goes, as it may have to be told that it is awake.
        loop.remove(this);
        loop.forget(atLoopEnd);
    }

    private void free() {
        writer.end(NOTHING);
        reader.end(NOTHING);
        pool.end();
        port.close();
        int ours = port.outgoing().mapping().holders();
        int theirs = port.incoming().mapping().holders();
        if (ours + theirs > 0) {
            log.info(
                    "the shared-memory link to {} has ended; {} blocks of ours and {} of the peer's are still "
                            + "held, and their"
                            + " memory stays mapped until they are released",
                    peer,
                    ours,
                    theirs);
        }
    }
}
