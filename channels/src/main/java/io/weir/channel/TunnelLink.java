package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.SettingText;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.flow.Window;
import io.weir.path.Errors;
import io.weir.path.Promise;
import io.weir.path.TunnelledLink;
import io.weir.peer.PathDecision;
import io.weir.peer.TunnelRoute;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * A link to a node that is not reached directly: a channel to a gateway, which passes on what comes. Each frame is one
 * message, its header before its body; or two, if the link of the channel takes the body where it lies. What a session
 * sends over it is bounded by its own windows, so this takes whatever comes at once, and a full channel can't keep its
 * own credit from coming in. It belongs to the loop of the channel.
 *
 * <p>What was under way when the tunnel breaks is in the hands of others: it can't be given back. Nothing is encrypted
 * from end to end.
 */
final class TunnelLink implements TunnelledLink, MessageSink {

    private static final int LONGEST_HEADER = FrameLayout.HEADER + 2 * Long.BYTES;

    /** Bytes of the longest message: what every path carries in one frame. */
    static final int LONGEST = 64 << 10;

    static final int MAX_FRAME = LONGEST - LONGEST_HEADER;

    /**
     * Bodies up to this length are copied behind their header, which costs less than a second buffer does on its way.
     */
    private static final int COPIED = 2 << 10;

    /** A flag of frames: the body is the next message. */
    private static final int BODY_FOLLOWS = 0x10;

    /** Until a side that learnt of the end has to have announced its own. */
    private static final Duration LINGER = Duration.ofSeconds(5);

    private final Channel channel;
    private final Loop loop;
    private final Outbound outbound;
    private final Inbound inbound;
    private final Frame received = new Frame();
    /** How long the body is that the next message has to be; 0 if it begins a frame. */
    private int awaited;

    private boolean skipsBody;
    private @Nullable Opening opening;
    private TunnelRoute route;
    private @Nullable LinkHandler handler;
    private Disposable limit = Disposables.disposed();
    private boolean refused;
    private boolean closed;
    /** The other side takes nothing more. */
    private boolean deaf;
    /** Why it is lost, reported or not. */
    private @Nullable WeirException lost;

    private TunnelLink(Channel channel, TunnelRoute route) {
        this.channel = channel;
        this.loop = channel.session().loop();
        this.outbound = channel.outbound();
        this.inbound = channel.inbound();
        this.route = route;
    }

    /** Who waits for the first messages of the other side. */
    private static final class Opening {

        final Promise<TunnelLink> outcome;
        /** Makes of each message a part of the way; throws what that fails with. */
        final Function<Message, TunnelRoute> read;

        int awaited;

        Opening(Promise<TunnelLink> outcome, Function<Message, TunnelRoute> read, int awaited) {
            this.outcome = outcome;
            this.read = read;
            this.awaited = awaited;
        }
    }

    /**
     * Makes a link of a channel to a gateway when each gateway on the way has answered. Nobody else may use the
     * channel.
     *
     * @param gateways how many there are
     * @param time until all have answered
     */
    static Mono<TunnelLink> connect(Channel channel, TunnelRequest request, int gateways, Duration time) {
        TunnelRoute first = TunnelRoute.NONE.leg(pathOf(channel));
        return open(channel, first, request.message(), TunnelAnswer::read, gateways, time);
    }

    /** Makes a link of a channel that a gateway has opened when it has said by which way it comes. */
    static Mono<TunnelLink> accept(Channel channel, Duration time) {
        String last = pathOf(channel);
        return open(
                channel,
                TunnelRoute.NONE,
                null,
                greeting -> TunnelRoute.of(greeting.control()).leg(last),
                1,
                time);
    }

    private static String pathOf(Channel channel) {
        return channel.peer().path().chosen().map(PathDecision.Attempt::path).orElse("?");
    }

    private static Mono<TunnelLink> open(
            Channel channel,
            TunnelRoute route,
            @Nullable Message first,
            Function<Message, TunnelRoute> read,
            int answers,
            Duration time) {
        return Promise.mono(
                outcome -> {
                    TunnelLink link = new TunnelLink(channel, route);
                    outcome.onCancel(() -> channel.execute(link::close));
                    channel.execute(() -> link.begin(new Opening(outcome, read, answers), first, time));
                },
                unwanted -> unwanted.channel.execute(unwanted::close));
    }

    private void begin(Opening waiter, @Nullable Message first, Duration time) {
        opening = waiter;
        limit = loop.schedule(
                () -> over(new TimedOut("the way " + route + " was not open within " + SettingText.of(time))), time);
        outbound.feeder(new Sending());
        inbound.request(1);
        inbound.sink(this);
        if (first != null) {
            outbound.send(first, 0, 0);
        }
    }

    @Override
    public int depth() {
        return channel.session().link().tunnelDepth() + 1;
    }

    @Override
    public PeerId gateway() {
        return channel.peer().id();
    }

    @Override
    public TunnelRoute route() {
        return route;
    }

    @Override
    public String transport() {
        return PATH;
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.allocator();
    }

    @Override
    public boolean offer(Frame frame) {
        if (closed || deaf || lost != null) {
            return false;
        }
        check(frame);
        if (!outbound.isEmpty() || outbound.room() <= 0) {
            refused = true;
            return false;
        }
        ByteBuf body = frame.body();
        int length = body.readableBytes();
        if (length <= COPIED) {
            ByteBuf all = head(frame, 0, length);
            all.writeBytes(body, body.readerIndex(), length);
            body.release();
            send(all);
        } else if (channel.session().link().takesInPlace(body)) {
            send(head(frame, BODY_FOLLOWS, 0));
            send(body);
        } else {
            send(Unpooled.wrappedBuffer(head(frame, 0, 0), body));
        }
        return true;
    }

    private void send(ByteBuf bytes) {
        outbound.send(Message.of(bytes), 0, 0);
    }

    private static void check(Frame frame) {
        if (frame.hasRegion()) {
            throw new IllegalArgumentException("a tunnel takes buffers, not pieces of files: " + frame.kind());
        }
        if (frame.control().length > FrameLayout.MAX_CONTROL || frame.length() > MAX_FRAME) {
            throw new IllegalArgumentException(
                    frame + " is longer than the " + MAX_FRAME + " bytes that a tunnel takes");
        }
        if (frame.kind() == FrameKind.ACK) {
            throw new IllegalArgumentException("an ACK, which links send by themselves");
        }
        if (frame.body().refCnt() == 0) {
            throw new IllegalArgumentException("a frame whose body was released: " + frame.kind());
        }
    }

    /** What stands before the body, with room for so much behind it. */
    private ByteBuf head(Frame frame, int flags, int room) {
        int words = frame.kind().words();
        ByteBuf head = allocator().buffer(FrameLayout.HEADER + words * Long.BYTES + frame.control().length + room);
        head.writeLongLE(FrameLayout.word0(
                        frame.kind().code(), frame.flags() | flags, frame.control().length, frame.length()))
                .writeLongLE(frame.word1());
        if (words > 0) {
            head.writeLongLE(frame.first());
        }
        if (words > 1) {
            head.writeLongLE(frame.second());
        }
        return head.writeBytes(frame.control());
    }

    @Override
    public void handler(LinkHandler next) {
        if (closed) {
            return;
        }
        boolean first = handler == null;
        handler = next;
        if (first) {
            // Not from here: the caller does not expect to be called before this returns.
            loop.atTurnEnd(this::resume);
        }
    }

    private void resume() {
        if (handler == null) {
            return;
        }
        if (lost != null) {
            tell(lost);
        } else {
            inbound.request(Window.UNBOUNDED);
            tellRoom();
        }
    }

    private void tellRoom() {
        LinkHandler receiver = handler;
        if (refused && receiver != null && !deaf && lost == null) {
            refused = false;
            receiver.writable();
        }
    }

    // What comes over the channel.

    @Override
    public void message(Message message, int flags, int number) {
        Opening waiter = opening;
        LinkHandler receiver = handler;
        if (closed || lost != null || (waiter == null && receiver == null)) {
            message.release();
        } else if (waiter != null) {
            answered(waiter, message);
        } else {
            deliver(Objects.requireNonNull(receiver), message.payload());
        }
    }

    private void answered(Opening waiter, Message message) {
        try {
            route = route.then(waiter.read.apply(message));
        } catch (WeirException e) {
            over(e);
            return;
        } finally {
            message.release();
        }
        waiter.awaited--;
        if (waiter.awaited > 0) {
            inbound.request(1);
        } else {
            opening = null;
            limit.dispose();
            waiter.outcome.success(this);
        }
    }

    private void deliver(LinkHandler receiver, ByteBuf bytes) {
        boolean whole;
        try {
            whole = awaited == 0 ? decode(bytes) : isBody(bytes);
        } catch (ProtocolMismatch e) {
            bytes.release();
            throw e;
        }
        if (!whole) {
            bytes.release();
            return;
        }
        try {
            receiver.frame(received.body(bytes));
        } finally {
            received.clear();
        }
    }

    /** Whether it is to be delivered: what belongs to a frame that may be skipped is not. */
    private boolean isBody(ByteBuf bytes) {
        int expected = awaited;
        awaited = 0;
        if (bytes.readableBytes() != expected) {
            throw broken(bytes.readableBytes() + " bytes instead of the " + expected + " of a body");
        }
        return !skipsBody;
    }

    /**
     * Makes the frame of it, the body of which is what is left; false if that is to come, or if it is one that may be
     * skipped.
     */
    private boolean decode(ByteBuf bytes) {
        if (bytes.readableBytes() < FrameLayout.HEADER) {
            throw broken("a frame of " + bytes.readableBytes() + " bytes");
        }
        long word0 = bytes.readLongLE();
        long word1 = bytes.readLongLE();
        int code = FrameLayout.kindCode(word0);
        FrameKind kind = FrameKind.of(code);
        if ((kind == null && code < FrameKind.OPTIONAL) || kind == FrameKind.ACK) {
            throw broken("a frame of the kind " + code);
        }
        int length = FrameLayout.length(word0);
        int control = FrameLayout.controlLength(word0);
        boolean follows = (FrameLayout.flags(word0) & BODY_FOLLOWS) != 0;
        if (length < control || length > MAX_FRAME || (follows && length == control)) {
            throw broken(kind, length, control, bytes);
        }
        awaited = follows ? length - control : 0;
        skipsBody = kind == null;
        if (kind == null) {
            return false;
        }
        if (bytes.readableBytes() != kind.words() * Long.BYTES + length - awaited) {
            throw broken(kind, length, control, bytes);
        }
        long first = kind.words() > 0 ? bytes.readLongLE() : 0;
        long second = kind.words() > 1 ? bytes.readLongLE() : 0;
        int flags = FrameLayout.flags(word0) & ~Frame.LINK_FLAGS;
        received.set(kind, flags, FrameLayout.channel(word1), FrameLayout.aux(word1))
                .words(first, second);
        if (control > 0) {
            byte[] data = new byte[control];
            bytes.readBytes(data);
            received.control(data);
        }
        return !follows;
    }

    private static ProtocolMismatch broken(@Nullable FrameKind kind, int length, int control, ByteBuf bytes) {
        return broken(kind + " of " + Integer.toUnsignedLong(length) + " bytes, " + control
                + " of them control data, in " + bytes.readableBytes());
    }

    private static ProtocolMismatch broken(String what) {
        return new ProtocolMismatch("what came through a gateway is no frame: " + what);
    }

    @Override
    public void ended() {
        over(new SessionLost("the way " + route + " has ended: the other side closed it"));
    }

    @Override
    public void failed(Throwable error) {
        String text = "the way " + route + " has broken: " + Errors.text(error);
        over(error instanceof ProtocolMismatch ? new ProtocolMismatch(text, error) : new SessionLost(text, error));
    }

    /** Nothing comes any more. */
    private void over(WeirException reason) {
        limit.dispose();
        if (closed || lost != null) {
            return;
        }
        lost = reason;
        Opening waiter = opening;
        opening = null;
        if (waiter != null) {
            close();
            waiter.outcome.error(reason);
        } else if (handler != null) {
            tell(reason);
        }
    }

    private void tell(WeirException reason) {
        LinkHandler receiver = Objects.requireNonNull(handler);
        close();
        receiver.lost(reason);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        handler = null;
        limit.dispose();
        outbound.end(false);
        if (!inbound.ended()) {
            // What was sent is to arrive, so the other side ends first. It has the time for that.
            inbound.request(Window.UNBOUNDED);
            limit = loop.schedule(channel::cancelInbound, LINGER);
        }
    }

    /** The sending half. What ends both halves is heard by the receiving one, behind what had arrived. */
    private final class Sending implements Feeder {

        /** The session that goes through it has its own. */
        @Override
        public boolean idle() {
            return true;
        }

        @Override
        public void room() {
            tellRoom();
        }

        @Override
        public void cancelled() {
            deaf = true;
            if (!closed && lost == null) {
                limit.dispose();
                // Why is about to come.
                limit = loop.schedule(
                        () -> over(new SessionLost("the way " + route + " has ended: it takes nothing more")), LINGER);
            }
        }

        @Override
        public void failed(Throwable error) {
            deaf = true;
        }
    }
}
