package io.weir.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.weir.core.Ends;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.PeerUnavailable;
import io.weir.core.Protection;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.stream.FrameParser;
import io.weir.transport.stream.Greeting;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A {@link Link} over one channel. What the channel reports comes in through {@link TcpInbound}. */
final class TcpLink implements Link {

    private static final Logger LOG = LoggerFactory.getLogger(TcpLink.class);

    /** Links of a loop that await the end of the other side, when one more is {@link #dismiss dismissed}. */
    static final int MOST_ENDING = 64;

    private final NettyLoop loop;
    private final Channel channel;
    private final TcpOptions options;
    private final Remote remote;
    private final ByteBufAllocator allocator;
    private final @Nullable SslHandler tls;
    private final Protection protection;
    private final Ends ends;
    private final Outbox outbox;
    private final Greeting greeting;
    private final FrameParser parser;
    private final Runnable flush = this::flush;
    private final Disposable end = this::loopEnds;
    /** Bytes that nobody wanted so far; the kernel holds back what follows. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();

    /** What was delivered to a side that keeps what it sends; null as long as it does not. */
    private @Nullable Receipts receipts;

    private @Nullable LinkHandler handler;
    private boolean flushDue;
    private boolean roomDue;
    private boolean refused;
    /** Our side has closed: nothing more is received or reported. */
    private boolean closed;
    /** Why the link is lost. Frames that arrived before are still delivered, if a handler comes for them. */
    private @Nullable WeirException reason;
    /**
     * That the other side has ended the stream is the reason: what exactly it means is seen when all of it was read.
     */
    private boolean streamEnded;

    private boolean told;
    private Disposable linger = Disposables.disposed();

    TcpLink(NettyLoop loop, ChannelHandlerContext context, TcpOptions options, Remote remote, Greeting greeting) {
        this.loop = loop;
        this.channel = context.channel();
        this.options = options;
        this.remote = remote;
        this.allocator = loop.buffers().before(channel.alloc());
        this.tls = channel.pipeline().get(SslHandler.class);
        this.protection = TlsSession.protection(channel, tls);
        this.ends = Remote.ends(channel);
        this.outbox = new Outbox(context);
        this.greeting = greeting;
        this.parser = new FrameParser(greeting, loop.buffers(), channel.alloc(), this::deliver);
        if (tls == null) {
            channel.config().setRecvByteBufAllocator(ReadBuffer.ofLoop());
        }
        loop.closeAtEnd(end);
    }

    @Override
    public String transport() {
        return TcpTransport.NAME;
    }

    @Override
    public Protection protection() {
        return protection;
    }

    /**
     * The address of the other end's host; null if it is not known, or the connection leads through a Unix-domain
     * socket.
     */
    @Nullable
    InetAddress remoteHost() {
        return channel.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }

    @Override
    public Ends ends() {
        return ends;
    }

    @Override
    public int maxFrame() {
        return Greeting.MAX_FRAME;
    }

    @Override
    public boolean takesRegions() {
        return tls == null;
    }

    @Override
    public boolean takesLent() {
        return true;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean offer(Frame frame) {
        if (closed || reason != null) {
            return false;
        }
        check(frame);
        if (!hasRoom()) {
            refused = true;
            return false;
        }
        outbox.add(frame);
        leaveFlush();
        return true;
    }

    private boolean hasRoom() {
        return channel.isWritable() && !outbox.isFull();
    }

    private void leaveFlush() {
        if (!flushDue) {
            flushDue = true;
            loop.atTurnEnd(flush);
        }
    }

    @Override
    public void retain(long bytes) {
        if (!closed && reason == null) {
            outbox.keep(bytes);
            leaveFlush();
        }
    }

    @Override
    public boolean handBack(Consumer<Frame> to) {
        Greeting own = new Greeting("what was kept", true);
        return outbox.handBack(new FrameParser(own, loop.buffers(), channel.alloc(), frame -> {
            to.accept(frame);
            return true;
        }));
    }

    private void check(Frame frame) {
        FileRegion region = frame.region();
        if (region != null && tls != null) {
            throw new IllegalArgumentException("a piece of a file, which TLS can't take: " + frame.kind());
        }
        long body = region == null ? frame.bodyLength() : region.count() - region.transferred();
        int control = frame.control().length;
        if (body + control > Greeting.MAX_FRAME || control > FrameLayout.MAX_CONTROL) {
            throw new IllegalArgumentException("a frame of " + (body + control) + " bytes, " + control
                    + " of them control data, is longer than the " + Greeting.MAX_FRAME + " that tcp takes");
        }
        if (frame.kind() == FrameKind.ACK) {
            throw new IllegalArgumentException("an ACK, which links send by themselves");
        }
        if (region == null && !frame.isLent() && frame.body().refCnt() == 0) {
            throw new IllegalArgumentException("a frame whose body was released: " + frame.kind());
        }
    }

    private void flush() {
        flushDue = false;
        if (reason == null) {
            acknowledge();
            outbox.flush();
        }
    }

    /**
     * What finds no room waits, since the next one says as much: a peer that does not read must not make us gather
     * them.
     */
    private void acknowledge() {
        Receipts due = receipts;
        if (due != null && due.isDue() && !closed && channel.isWritable()) {
            outbox.addAck(due.tell());
        }
    }

    /**
     * The kernel has taken or not taken bytes, or the other side has acknowledged some, so that there is room or none.
     */
    void roomChanged() {
        if (receipts != null && receipts.isDue() && channel.isWritable()) {
            leaveFlush();
        }
        if (refused && !roomDue && hasRoom()) {
            roomDue = true;
            // In a turn of its own: a peer that takes bytes as fast as we offer them must not keep us from everything
            // else.
            loop.execute(this::tellRoom);
        }
    }

    private void tellRoom() {
        roomDue = false;
        LinkHandler receiver = handler;
        if (refused && receiver != null && reason == null && hasRoom()) {
            refused = false;
            receiver.writable();
        }
    }

    @Override
    public void handler(LinkHandler next) {
        if (closed || told) {
            return;
        }
        boolean waiting = handler == null;
        handler = next;
        if (waiting) {
            // Not from here: the caller does not expect to be called before this returns.
            loop.atTurnEnd(this::resume);
        }
    }

    /** Delivers nothing until there is a handler again. */
    void pause() {
        handler = null;
        channel.config().setAutoRead(false);
    }

    private void resume() {
        while (handler != null && !early.isEmpty()) {
            parse(early.remove());
        }
        if (handler != null && reason == null) {
            channel.config().setAutoRead(true);
            tellRoom();
        }
        tellLost();
    }

    /** These bytes have arrived. Takes over the buffer. */
    void received(ByteBuf bytes) {
        loop.woken();
        if (closed || reason != null) {
            bytes.release();
        } else if (handler == null || !early.isEmpty()) {
            early.add(bytes);
        } else {
            parse(bytes);
        }
    }

    private void parse(ByteBuf bytes) {
        try {
            parser.parse(bytes);
        } catch (Throwable e) {
            loop.linkFailed(e);
            bytes.skipBytes(bytes.readableBytes());
            discardEarly();
            if (greeting.sawTls()) {
                refuseTls();
            }
            broken(reasonOf(e));
        }
        if (bytes.isReadable() && !closed) {
            early.addFirst(bytes);
        } else {
            bytes.release();
        }
    }

    /** What is no record of TLS shows the other side what is wrong, where it would see no more than an end. */
    private void refuseTls() {
        if (!closed && reason == null) {
            ByteBuf text = Unpooled.copiedBuffer("TLS is off here", StandardCharsets.UTF_8);
            outbox.add(new Frame().set(FrameKind.REFUSE, 0, 0, 0, text));
            outbox.flush();
        }
    }

    private boolean deliver(Frame frame) {
        if (frame.kind() == FrameKind.ACK) {
            frame.release();
            acknowledged(frame.first());
            return true;
        }
        LinkHandler receiver = Objects.requireNonNull(handler, "a frame for nobody");
        Receipts counting = receipts;
        // Computed first: the handler may change the holder.
        long bytes = counting == null ? 0 : FrameLayout.size(frame.kind().words(), frame.length());
        receiver.frame(frame);
        if (counting != null && !closed && reason == null) {
            counting.count(bytes);
        }
        return handler != null;
    }

    private void acknowledged(long frames) {
        if (frames == 0 && receipts == null) {
            receipts = new Receipts(loop, this::leaveFlush);
        } else if (outbox.acknowledge(frames)) {
            roomChanged();
        } else {
            throw greeting.broken("an ACK of " + frames + " frames, which can't be");
        }
    }

    private WeirException reasonOf(Throwable failure) {
        return failure instanceof WeirException known
                ? known
                : new SessionLost(
                        remote.connection() + " was ended here, as handling a frame failed: " + failure, failure);
    }

    /** Something has failed in the channel. */
    void failed(Throwable cause) {
        String why = remote.connection() + " is broken: " + Sockets.text(cause);
        lost(Sockets.isUnreachable(cause) ? new PeerUnavailable(why, cause) : new SessionLost(why, cause));
        close(channel);
    }

    /** The channel has ended. */
    void ended() {
        linger.dispose();
        Throwable cause = reason == null && !closed ? causeOfEnd() : null;
        if (cause != null) {
            failed(cause);
        }
        streamEnded = reason == null;
        lost(new SessionLost(remote.connection() + " has ended: the other side closed it"));
        if (closed) {
            loop.letEnd(this);
        }
    }

    /** Why the kernel took nothing more, which TLS does not hand on; null if the other side has ended the stream. */
    private @Nullable Throwable causeOfEnd() {
        ChannelPromise probe = channel.newPromise();
        channel.unsafe().write(Unpooled.EMPTY_BUFFER, probe);
        Throwable refusal = probe.cause();
        return refusal == null ? null : refusal.getCause();
    }

    /** The loop ends. Nobody can come any longer for what was not delivered. */
    private void loopEnds() {
        lost(new SessionLost(remote.connection() + " was ended here, with the loop that it was on"));
        if (handler == null) {
            close();
        }
    }

    private void broken(WeirException why) {
        if (!closed) {
            streamEnded = false;
            reason = null;
            lost(why);
        }
    }

    private void lost(WeirException why) {
        if (reason == null && !closed) {
            reason = why;
            close(channel);
            // Not from here: this may be reached from within an offer.
            loop.atTurnEnd(this::finish);
        }
    }

    private void finish() {
        outbox.end();
        tellLost();
    }

    private void tellLost() {
        LinkHandler receiver = handler;
        WeirException why = reason;
        if (receiver != null && why != null && early.isEmpty()) {
            handler = null;
            told = true;
            loop.forget(end);
            WeirException exactly = streamEnded ? endOfStream(why) : why;
            parser.release();
            endReceipts();
            try {
                receiver.lost(exactly);
            } finally {
                outbox.forgetKept();
            }
        }
    }

    private WeirException endOfStream(WeirException otherwise) {
        WeirException stranger = parser.strangerAtEnd();
        if (stranger != null) {
            return stranger;
        }
        return parser.isWithinFrame()
                ? new SessionLost(otherwise.getMessage() + " in the middle of a frame")
                : otherwise;
    }

    @Override
    public void close() {
        if (closed || told) {
            return;
        }
        closed = true;
        loop.forget(end);
        handler = null;
        discardEarly();
        parser.release();
        endReceipts();
        outbox.forgetKept();
        if (reason == null) {
            sayFarewell();
        }
    }

    @Override
    public void dismiss() {
        boolean many = loop.delays() >= MOST_ENDING;
        close();
        if (many) {
            // What was offered goes as far as the kernel has taken it. Whoever does not read keeps no descriptor of
            // ours.
            close(channel);
        }
    }

    private void endReceipts() {
        if (receipts != null) {
            receipts.end();
        }
    }

    /**
     * The other side gets everything and then the end of the stream; its own end is awaited, since closing a socket in
     * which unread bytes lie, or come, makes the kernel discard what the other side has not read yet.
     */
    private void sayFarewell() {
        loop.delayEnd(this);
        awaitEnd(Long.MAX_VALUE);
        ChannelFuture flushed = outbox.flushed();
        outbox.end();
        flushed.addListener(done -> {
            if (done.isSuccess() && tls != null) {
                var unused = tls.closeOutbound().addListener(said -> shutDown((DuplexChannel) channel));
            } else if (done.isSuccess() && channel instanceof DuplexChannel duplex) {
                shutDown(duplex);
            } else {
                close(channel);
            }
        });
        if (channel.isOpen()) {
            channel.config().setAutoRead(true);
        }
    }

    /** Gives up when nothing moves for the time of the option. */
    private void awaitEnd(long pendingBefore) {
        linger = loop.schedule(
                () -> {
                    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
                    long pending = waiting == null ? 0 : waiting.totalPendingWriteBytes();
                    if (pending < pendingBefore) {
                        awaitEnd(pending);
                    } else {
                        abort(pending);
                    }
                },
                options.linger());
    }

    private void abort(long pending) {
        if (pending > 0) {
            LOG.warn(
                    "{}: closed with {} bytes unsent, as the other side does not read them",
                    remote.connection(),
                    pending);
        }
        close(channel);
    }

    private void discardEarly() {
        for (ByteBuf bytes; (bytes = early.poll()) != null; ) {
            bytes.release();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // The channel tells its end by itself.
    private static void close(Channel channel) {
        channel.close();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // If it fails the channel has ended.
    private static void shutDown(DuplexChannel duplex) {
        duplex.shutdownOutput();
    }
}
