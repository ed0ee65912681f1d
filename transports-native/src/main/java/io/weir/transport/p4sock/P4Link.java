package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.Nobody;
import io.weir.transport.stream.FrameBytes;
import io.weir.transport.stream.FrameParser;
import io.weir.transport.stream.Greeting;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * A link over a {@link Connection}. Frames are a stream of bytes that is cut into fragments: what is offered in one
 * turn of the loop goes out as one message. Everything but the allocator belongs to the loop's thread.
 *
 * <p>A fragment is acknowledged when it was delivered, so what was not is known on the sender's side and can be handed
 * back.
 */
final class P4Link implements Link, Connection.User {

    /** A shorter piece of a body is copied, which costs less than what the system does for a piece. */
    private static final int PIECE = 2048;

    /** So long a closed link waits until the peer has had what was sent. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    /** And so long where its loop ends, and nothing else can happen on it meanwhile. */
    private static final Duration LAST_FAREWELL = Duration.ofMillis(200);

    private static final long LOOK_NANOS = 50_000;

    /** Between 1500, with which it carries less than TCP, and 9000, with which it carries more. */
    private static final int LONG_MTU = 4000;

    private static final LinkHandler NOBODY = Nobody.INSTANCE;

    private enum State {
        OPEN,
        /** Nothing is offered or delivered any more; what was sent has to arrive. */
        LEAVING,
        ENDED
    }

    private final NettyLoop loop;
    private final String peer;
    private final Seat seat;
    private final Connection connection;
    private final ByteBufAllocator allocator;
    private final FrameParser parser;
    private final int payload;
    private final Runnable turnEnd = this::turnEnd;
    private final Disposable atLoopEnd = this::endNow;
    /** What comes before a body that does not fit into one fragment. */
    private final ByteBuf head = Unpooled.buffer(256);

    private @Nullable Fragment open;
    /** Bytes of the stream so far, and before the frame that is written now. */
    private long written;

    private long frameBegin;
    private State state = State.OPEN;
    private LinkHandler handler = NOBODY;
    private boolean turnEndLeft;
    /** An offer said no, and the handler waits for room. */
    private boolean waiting;

    private @Nullable Disposable limit;
    /** Why the link has ended, as long as nobody has come for what there is. */
    private @Nullable WeirException untold;

    /** Takes over the seat, whose connection is established. */
    P4Link(NettyLoop loop, String peer, Seat seat) {
        this.loop = loop;
        this.peer = peer;
        this.seat = seat;
        this.connection = seat.connection();
        this.payload = connection.payload();
        this.allocator = loop.buffers().before(ByteBufAllocator.DEFAULT);
        this.parser = new FrameParser(
                new Greeting(peer + " over Ethernet", true), loop.buffers(), ByteBufAllocator.DEFAULT, this::deliver);
        connection.user(this);
        loop.closeAtEnd(atLoopEnd);
    }

    @Override
    public String transport() {
        return P4Transport.NAME;
    }

    @Override
    public String caveat() {
        int mtu = FrameFormat.DATA + payload + Seal.BYTES;
        return mtu >= LONG_MTU
                ? ""
                : "its frames have at most " + mtu
                        + " bytes: long messages are faster with an MTU of 9000 on the whole way, and without "
                        + "one maybe over tcp";
    }

    @Override
    public long rejectedFrames() {
        return connection.forged();
    }

    @Override
    public int maxFrame() {
        return Greeting.MAX_FRAME;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean takesLent() {
        return true;
    }

    @Override
    public boolean offer(Frame frame) {
        if (state != State.OPEN || !connection.isOpen()) {
            return false;
        }
        check(frame);
        if (connection.isFull()) {
            waiting = true;
            return false;
        }
        write(frame);
        leaveTurnEnd();
        return true;
    }

    private void check(Frame frame) {
        if (frame.hasRegion()) {
            throw new IllegalArgumentException("the path " + transport() + " takes no file regions: " + frame);
        }
        if ((frame.flags() & Frame.LINK_FLAGS) != 0) {
            throw new IllegalArgumentException("the flags of " + frame + " are the link's own");
        }
        if (frame.length() > Greeting.MAX_FRAME || frame.control().length > FrameLayout.MAX_CONTROL) {
            throw new IllegalArgumentException(frame + " exceeds " + Greeting.MAX_FRAME + " bytes");
        }
        if (!frame.isLent() && frame.body().refCnt() == 0) {
            throw new IllegalArgumentException("a frame whose body was released: " + frame.kind());
        }
    }

    private void write(Frame frame) {
        int padding = FrameBytes.padding(frame);
        int size = FrameBytes.headSize(frame) + frame.bodyLength() + padding;
        frameBegin = written;
        if (open != null && size > room(open) && size <= payload && room(open) < payload / 4) {
            // Whole frames are read faster.
            closeOpen(false);
        }
        Fragment into = opened();
        if (size <= room(into) && (frame.isLent() || frame.bodyLength() < PIECE || !isPiece(frame.body()))) {
            ByteBuf bytes = into.bytes();
            FrameBytes.writeHead(frame, bytes);
            FrameBytes.copyBody(frame, bytes);
            bytes.writeZero(padding);
            written += size;
        } else {
            // A copy, if it was lent.
            ByteBuf body = frame.body();
            head.clear();
            FrameBytes.writeHead(frame, head);
            put(head, false);
            put(body, isPiece(body));
            head.clear().writeZero(padding);
            put(head, false);
        }
        frame.releaseBody();
    }

    /** Whether parts of it can be sent from where they lie. */
    private static boolean isPiece(ByteBuf body) {
        return body.isDirect() && body.nioBufferCount() == 1;
    }

    /** Writes all of it, and changes none of its indices. */
    private void put(ByteBuf bytes, boolean piece) {
        int from = bytes.readerIndex();
        int left = bytes.readableBytes();
        while (left > 0) {
            Fragment into = opened();
            int length = Math.min(left, room(into));
            if (piece && length >= PIECE && !into.hasPiece()) {
                into.piece(bytes, from, length);
            } else {
                into.bytes().writeBytes(bytes, from, length);
            }
            written += length;
            from += length;
            left -= length;
        }
    }

    private int room(Fragment fragment) {
        return payload - fragment.length();
    }

    /** The fragment that is being written, with room in it. */
    private Fragment opened() {
        Fragment current = open;
        if (current != null && room(current) > 0) {
            return current;
        }
        if (current != null) {
            closeOpen(false);
        }
        Fragment next = connection.pool().take();
        next.begin(written, frameBegin);
        open = next;
        return next;
    }

    private void closeOpen(boolean last) {
        Fragment full = open;
        open = null;
        if (full != null) {
            connection.add(full, last);
        }
    }

    private void leaveTurnEnd() {
        if (!turnEndLeft) {
            turnEndLeft = true;
            loop.atTurnEnd(turnEnd);
        }
    }

    private void turnEnd() {
        turnEndLeft = false;
        if (state != State.ENDED) {
            closeOpen(true);
            seat.flush();
        }
    }

    /** Something has come, or time has passed: looks what that has changed. */
    void settled() {
        if (state == State.LEAVING && connection.hasArrived() && open == null) {
            free();
        } else if (waiting && state == State.OPEN && connection.isOpen() && connection.isRoomy()) {
            waiting = false;
            handler.writable();
        }
    }

    @Override
    public void handler(LinkHandler next) {
        if (state != State.OPEN) {
            return;
        }
        boolean nobody = handler == NOBODY;
        handler = next;
        if (nobody) {
            // Not from here: the caller does not expect to be called before this returns.
            loop.atTurnEnd(this::wanted);
        }
    }

    private void wanted() {
        if (state != State.OPEN) {
            return;
        }
        connection.wanted(System.nanoTime());
        WeirException reason = untold;
        if (reason != null && state == State.OPEN) {
            tellLost(reason);
        } else {
            seat.after();
        }
    }

    @Override
    public boolean wants() {
        return handler != NOBODY || state != State.OPEN;
    }

    @Override
    public void fragment(ByteBuf bytes, boolean last) {
        if (state != State.OPEN) {
            return;
        }
        try {
            parser.parse(bytes);
        } catch (WeirException e) {
            failsHere(e);
        } catch (Throwable e) {
            loop.linkFailed(e);
            failsHere(new SessionLost("the link to " + peer + " has ended because its receiver failed: " + e, e));
        }
    }

    private boolean deliver(Frame frame) {
        if (state != State.OPEN) {
            frame.release();
            return false;
        }
        handler.frame(frame);
        return true;
    }

    @Override
    public void established() {
        // It was before.
    }

    @Override
    public void ended(WeirException reason) {
        if (state == State.LEAVING) {
            free();
        } else if (state == State.OPEN && handler == NOBODY) {
            untold = reason;
        } else if (state == State.OPEN) {
            tellLost(reason);
        }
    }

    private void tellLost(WeirException reason) {
        LinkHandler told = handler;
        state = State.LEAVING;
        handler = NOBODY;
        try {
            told.lost(reason);
        } finally {
            free();
        }
    }

    /** The connection is sound, and the peer, which would not notice otherwise, is told. */
    private void failsHere(WeirException reason) {
        LinkHandler told = handler;
        leave();
        told.lost(reason);
    }

    @Override
    public boolean handBack(Consumer<Frame> to) {
        closeOpen(true);
        FrameParser kept = new FrameParser(
                new Greeting("what was kept", true), loop.buffers(), ByteBufAllocator.DEFAULT, frame -> {
                    to.accept(frame);
                    return true;
                });
        try {
            connection.giveBack(kept::parse);
        } finally {
            kept.release();
        }
        return true;
    }

    @Override
    public void close() {
        if (state == State.OPEN) {
            leave();
        }
    }

    private void leave() {
        state = State.LEAVING;
        handler = NOBODY;
        // What comes from here on is delivered to nobody, so the peer has to know that it was not.
        connection.freeze();
        if (connection.isEnded()) {
            free();
            return;
        }
        closeOpen(true);
        connection.finish();
        limit = loop.schedule(this::free, FAREWELL);
        leaveTurnEnd();
    }

    /** The loop ends: what was sent gets a moment to arrive, in which nothing else happens here. */
    private void endNow() {
        if (state == State.OPEN) {
            leave();
        }
        long until = System.nanoTime() + LAST_FAREWELL.toNanos();
        turnEnd();
        while (state != State.ENDED && System.nanoTime() - until < 0) {
            if (seat.port().poll() == 0) {
                connection.timePassed(System.nanoTime());
                settled();
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
        free();
    }

    private void free() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        loop.forget(atLoopEnd);
        if (limit != null) {
            limit.dispose();
        }
        parser.release();
        Fragment unsent = open;
        open = null;
        if (unsent != null) {
            connection.pool().give(unsent);
        }
        seat.leave();
    }
}
