package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.weir.config.NodeSpec;
import io.weir.core.ContentMemory;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Lendable;
import io.weir.core.Loop;
import io.weir.core.LoopBuffers;
import io.weir.core.Misconfigured;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RareLog;
import io.weir.core.SessionLost;
import io.weir.core.SettingText;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Errors;
import io.weir.path.Flags;
import io.weir.path.LastingLink;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What is between two nodes: the channels and the order in which they use the link. Everything but {@link #execute} and
 * the final fields belongs to the loop.
 */
final class Session implements LastingLink.User, KeepAlive.Watched, Turns.Lender, Leaving.Side {

    /** Enough for a page; to read them all would keep the loop from its work. */
    static final int CHANNELS_SHOWN = 256;

    /** What a session needs of its node. Any thread may call. */
    interface Host {

        /** The peer has opened this channel. On its loop. */
        void opened(Channel channel, boolean requests);

        /** How large the next channel's first message at this port will probably be. */
        int expected(String port);

        /** A source at this port has emitted a message of this length, its first one or a longer one than before. */
        void emitted(String port, int length);

        /** A peer has done what it may not, and this is what became of it. */
        void breach(String what);

        /** The log of the beginnings and ends of sessions. */
        RareLog sessionLog();
    }

    private final NodeSpec spec;
    /** As the spec has it: this and the next one are looked at for each message. */
    private final long maxMessage;

    private final long windowBytes;
    private final Host host;
    private final MemoryAccount.Share memory;
    private final Loop loop;
    private final LastingLink link;
    private final Peer peer;
    private final Consumer<Session> onEnd;

    private final Outbox outbox;
    private final Channels<Channel> channels;
    private boolean borrowed;
    /** It ends as soon as the loop's own thread has the loop; nothing more is taken. */
    private boolean doomed;

    private @Nullable ContentMemory content;
    private final LongValues longValues;
    private final Leaving leaving;
    private final Pings pings;

    private @Nullable WeirException ended;

    /** The peer is going to leave: what is begun now fails. */
    private boolean peerLeaves;

    private final KeepAlive keepAlive;
    private @Nullable ByteBuf chunkHolder;

    // Counters, read by others without ordering: each is written by the loop only.
    private final Counters counters = new Counters();

    private final Backlog backlog;
    /** Whether the answer still waits for which there was no memory. */
    private BooleanSupplier beyondWaits = () -> false;

    Session(
            NodeSpec spec,
            Host host,
            MemoryAccount.Share memory,
            Loop loop,
            LastingLink link,
            Peer peer,
            boolean connecting,
            Consumer<Session> onEnd) {
        this.maxMessage = spec.memory().maxMessage();
        this.windowBytes = spec.windows().bytes();
        this.spec = spec;
        this.host = host;
        this.memory = memory;
        this.loop = loop;
        this.link = link;
        this.peer = peer;
        this.onEnd = onEnd;
        this.outbox = new Outbox(loop, link, peer.id(), () -> backlog().drained(), this::abandonHalfDone);
        this.pings = new Pings(outbox, this::answeredSince);
        this.channels = new Channels<>(
                spec,
                memory,
                peer.id(),
                outbox,
                counters,
                connecting,
                (number, port, window, least, promised) -> new Channel(this, number, port, window, least, promised));
        this.leaving = new Leaving(this, peer.id(), loop, link, outbox);
        this.longValues = new LongValues(peer.id(), this::execute, memory);
        this.backlog = new Backlog(loop, memory, this::channelCount, outbox::drainLater);
        memory.take(MemoryUse.PEERS, MemoryAccount.PEER);
        this.keepAlive = new KeepAlive(
                this, loop, spec.keepAlive().interval(), spec.keepAlive().timeout());
    }

    /** The link may be used from now on. */
    void begin() {
        link.begin(this);
        keepAlive.begin();
    }

    @Override
    public long heard() {
        return link.framesReceived();
    }

    @Override
    public boolean changesLinks() {
        return !link.isClear();
    }

    /**
     * Memory for a message that comes in pieces; null if the JVM has none. The allocator gives a piece of its own
     * memory, 4 MiB, back to the system when nothing of it is in use any more, and long messages that come one by one
     * would have it cleared anew for each: so a little of it stays in use.
     */
    @Nullable
    ByteBuf longBuffer(int length) {
        if (!DirectMemory.hasRoom(length)) {
            return null;
        }
        if (chunkHolder == null) {
            chunkHolder = PooledByteBufAllocator.DEFAULT.directBuffer(1, 1);
        }
        return PooledByteBufAllocator.DEFAULT.directBuffer(length, length);
    }

    @Override
    public void ping() {
        pings.ask();
    }

    /** Asks it now, if it is not being asked: a side that has given the connection up has none to answer over. */
    void askWhetherThere() {
        if (ended == null && !changesLinks() && !pings.isAwaited()) {
            ping();
        }
    }

    /** The peer has answered what was sent then. */
    void answeredSince(long nanos) {
        long now = System.nanoTime();
        counters.roundTrips.add(now - nanos, now);
    }

    @Override
    public void silent() {
        abandon(new SessionLost(peer.id() + " has said nothing for "
                + SettingText.of(spec.keepAlive().timeout())
                + " although its connection is open: it is stopped, kept from its work, or cut off from here"
                + " (weir.keepalive.timeout)"));
    }

    @Override
    public void execute(Runnable task) {
        if (loop.inLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(() -> runWhole(task));
        } catch (RejectedExecutionException e) {
            // The loop has ended and with it this session: nobody else touches the state but those who come here.
            synchronized (this) {
                task.run();
            }
        }
    }

    /** As {@link NextTurn#run}. */
    void nextTurn(Runnable task) {
        NextTurn.run(loop, () -> execute(task));
    }

    private void runWhole(Runnable task) {
        try {
            task.run();
        } catch (VirtualMachineError e) {
            abandonHalfDone(e);
        }
    }

    /** What finds no memory halfway leaves a session in which somebody would wait for ever. */
    private void abandonHalfDone(VirtualMachineError reason) {
        abandon(new SessionLost("something could not be done for " + peer.id() + ": " + reason, reason));
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public boolean isOverLendable() {
        return link.isOverLendable();
    }

    @Override
    public @Nullable Lendable lendable() {
        return ended == null && !doomed && outbox.clear() ? link.lendable() : null;
    }

    @Override
    public void doom() {
        doomed = true;
        link.doom();
    }

    @Override
    public void borrowed(boolean whether) {
        borrowed = whether;
    }

    @Override
    public boolean isLent(int number) {
        Channel channel = channels.find(number);
        return channel != null && channel.isLent();
    }

    /** Over which its frames come and go. */
    LastingLink link() {
        return link;
    }

    /** For any thread. */
    ByteBufAllocator allocator() {
        return link.allocator();
    }

    Peer peer() {
        return peer;
    }

    /** The name of the path that is used now. Any thread. */
    String transport() {
        return link.transport();
    }

    PeerId peerId() {
        return peer.id();
    }

    /** Any thread; it says itself what of it belongs to the loop. */
    LongValues longValues() {
        return longValues;
    }

    /** The peer's part of what the node keeps for all. */
    MemoryAccount.Share memory() {
        return memory;
    }

    Host host() {
        return host;
    }

    Outbox outbox() {
        return outbox;
    }

    Backlog backlog() {
        return backlog;
    }

    /**
     * Whether an answer for which there is no memory may wait here: one of a session may, so that whoever takes its
     * answers gets all of them.
     *
     * @param waits whether it still waits
     */
    boolean mayGoBeyond(BooleanSupplier waits) {
        boolean may = !beyondWaits.getAsBoolean();
        if (may) {
            beyondWaits = waits;
        }
        return may;
    }

    Counters counters() {
        return counters;
    }

    long maxMessage() {
        return maxMessage;
    }

    long windowBytes() {
        return windowBytes;
    }

    long windowItems() {
        return spec.windows().items();
    }

    /** Why nothing may be begun at this port of the peer any more; null if it may. */
    @Nullable
    WeirException refusal(String port) {
        if (ended != null) {
            return ended.unsent();
        }
        return peerLeaves && !PortNames.endsWhatHasBegun(port) ? leaves() : null;
    }

    /** One for each: a thread that waits for it by blocking adds to it. */
    PeerUnavailable leaves() {
        return new PeerUnavailable(peer.id() + " is going to leave, and nothing more is begun there");
    }

    int channelCount() {
        return channels.size();
    }

    @Override
    public boolean hasEnded() {
        return ended != null;
    }

    @Nullable
    WeirException endedWith() {
        return ended;
    }

    /** Where values are written that are sent at once. */
    ContentMemory content() {
        ContentMemory memory = content;
        if (memory == null) {
            memory = new ContentMemory(LoopBuffers.LARGEST);
            content = memory;
        }
        return memory;
    }

    void counted(long bytes) {
        counters.messagesSent++;
        counters.bytesSent += bytes;
    }

    void arrived(long bytes) {
        counters.messagesReceived++;
        counters.bytesReceived += bytes;
    }

    @Override
    public void writable() {
        if (ended != null) {
            leaving.writable();
            return;
        }
        outbox.writable();
        try {
            pings.askIfDue();
            outbox.drain();
        } catch (VirtualMachineError e) {
            abandonHalfDone(e);
        }
    }

    /** Opens a channel and calls the waiter when the peer has answered. */
    void open(String port, int flags, Channel.Opening waiter, Consumer<Channel> opened) {
        WeirException refusal;
        Channel channel = null;
        try {
            PortNames.check(port);
            refusal = refusal(port);
            channel = refusal == null ? channels.open(port) : null;
        } catch (Misconfigured | Overloaded e) {
            refusal = e;
        }
        if (channel == null) {
            waiter.refused(Objects.requireNonNull(refusal));
            return;
        }
        opened.accept(channel);
        channel.opening(waiter, flags);
    }

    void forget(Channel channel, Outbox.Granting grants) {
        channels.remove(channel.number(), channel);
        channel.released();
        outbox.forget(grants);
        if (ended != null && channels.isEmpty()) {
            onEnd.accept(this);
        }
    }

    @Override
    public void frame(Frame in) {
        if (ended != null || doomed) {
            in.body().release();
            return;
        }
        try {
            Channel channel = channels.find(in.channel());
            switch (in.kind()) {
                case DATA -> {
                    if (channel == null) {
                        in.body().release();
                        throw Channels.unknown(in);
                    }
                    channel.inbound().data(in);
                }
                case FIRST, NEXT -> piece(channel, in);
                case CREDIT, ACCEPT -> credit(channel, in);
                default -> {
                    try {
                        signal(channel, in);
                    } finally {
                        in.body().release();
                    }
                }
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    private static void piece(@Nullable Channel channel, Frame in) {
        if (channel == null) {
            in.body().release();
            throw Channels.unknown(in);
        }
        if (in.kind() == FrameKind.FIRST) {
            channel.inbound().first(in);
        } else {
            channel.inbound().next(in);
        }
    }

    @Override
    public void failed(Throwable reason) {
        // What came is half dealt with. The link would be replaced, and the session go on behind it as if it had been.
        breach(
                reason instanceof ProtocolMismatch
                        ? new ProtocolMismatch(peer.id() + " broke the protocol: " + reason.getMessage(), reason)
                        : new SessionLost(
                                "what " + peer.id() + " had sent could not be dealt with: " + reason, reason));
    }

    private void breach(WeirException reason) {
        host.breach("A session is ended here: " + reason.getMessage());
        abandon(reason);
    }

    private void credit(@Nullable Channel channel, Frame in) {
        in.body().release();
        if (channel == null) {
            channels.checkKnown(in);
            return;
        }
        try {
            if (in.kind() == FrameKind.ACCEPT) {
                channel.accepted(in.first(), in.second());
            } else {
                channel.outbound().granted(in.first(), in.second());
            }
        } catch (IllegalArgumentException e) {
            throw new ProtocolMismatch("credit that can't be: " + e.getMessage(), e);
        }
    }

    private void signal(@Nullable Channel channel, Frame in) {
        switch (in.kind()) {
            case OPEN -> opened(in);
            case GOODBYE -> goodbye(in);
            case PING -> {
                if (in.has(Flags.LEAVES)) {
                    peerLeaves();
                }
                var unused = outbox.offer(outbox.frame().set(FrameKind.PONG, 0, 0, in.aux()));
            }
            case PONG -> {
                // That it has come was counted.
                leaving.confirmed(in.aux());
                pings.answered(in.aux());
            }
            case END, CANCEL, ERROR, WANT, DELIVERED, ABORT -> {
                if (channel == null) {
                    channels.checkKnown(in);
                } else {
                    signalChannel(channel, in);
                }
            }
            default -> throw LastingLink.outOfPlace(in.kind());
        }
    }

    private void signalChannel(Channel channel, Frame in) {
        switch (in.kind()) {
            case END -> {
                channel.inbound().end(in.has(Flags.CONFIRM));
                channel.inDone();
            }
            case CANCEL -> channel.outbound().cancelled();
            case ERROR -> channel.failedByPeer(Errors.received(peer.id(), in.aux(), in.body()));
            case WANT -> channel.inbound().want(in.first());
            case DELIVERED -> channel.outbound().delivered();
            default -> channel.aborted(in.aux());
        }
    }

    private void opened(Frame in) {
        Channel channel = channels.opened(in);
        if (channel == null) {
            return;
        }
        try {
            channel.outbound().granted(in.first(), in.second());
        } catch (IllegalArgumentException e) {
            throw new ProtocolMismatch("credit that can't be: " + e.getMessage(), e);
        }
        host.opened(channel, in.has(Flags.REQUESTS));
    }

    private void peerLeaves() {
        if (!peerLeaves) {
            peerLeaves = true;
            host.sessionLog().info(peer.id() + " is going to leave");
            peer.leaves();
        }
    }

    Channels<Channel> channels() {
        return channels;
    }

    Leaving leaving() {
        return leaving;
    }

    /** Completes when nobody waits for anything that goes between the two, or when the limit has passed. */
    Mono<Void> quiet(Duration limit) {
        return leaving.await(() -> channels.all(Channel::idle), limit);
    }

    private void goodbye(Frame in) {
        end(new SessionLost(peer.id() + " has left: " + Errors.received(in.body())), true);
    }

    @Override
    public void lost(WeirException reason) {
        if (ended != null) {
            leaving.closeLink();
            return;
        }
        String text = peer.id() + " is gone: " + reason.getMessage();
        if (reason instanceof ProtocolMismatch) {
            host.breach("A session is ended here: " + text);
        }
        end(
                reason instanceof ProtocolMismatch ? new ProtocolMismatch(text, reason) : new SessionLost(text, reason),
                true);
        leaving.over();
    }

    /** Ends the session because of what the peer did, and informs it if the link has room. */
    @Override
    public void abandon(WeirException reason) {
        if (borrowed) {
            if (!doomed) {
                loop.execute(() -> abandon(reason));
                doom();
            }
        } else if (ended == null) {
            try {
                var unused = leaving.sayGoodbye(Errors.text(reason));
            } catch (OutOfMemoryError e) {
                // It ends without a word: half ended, it would keep its peer and its memory for ever.
            }
            end(reason, true);
        }
    }

    /** Completes when nothing that was handed over waits to be sent, or when the limit has passed. */
    Mono<Void> drained(Duration limit) {
        return leaving.await(() -> idle() || link.isForsaken(), limit);
    }

    private boolean idle() {
        return outbox.lanes().isEmpty()
                && link.isClear()
                && channels.all(channel -> channel.outbound().isEmpty());
    }

    /** Ends at once, without informing the peer. */
    Mono<Void> forsaken(String reason) {
        return Mono.create(sink -> execute(() -> {
            forsake(reason);
            sink.success();
        }));
    }

    /** The same, on the loop. */
    void forsake(String reason) {
        end(new SessionLost("the connection to " + peer.id() + " was ended here without a goodbye: " + reason), true);
        // It may have ended before, with a goodbye that still waits for room.
        leaving.closeLink();
    }

    PeerStats stats() {
        Counters now = counters;
        return new PeerStats(
                peer.id(),
                link.transport(),
                now.messagesSent,
                now.messagesReceived,
                now.bytesSent,
                now.bytesReceived,
                link.framesSent(),
                link.framesReceived(),
                now.creditStalls,
                Duration.ofNanos(now.stalled.nanos()),
                peer.history().moves(),
                link.wakeUps(),
                link.rejectedFrames(),
                now.queuedMessages,
                now.queuedBytes,
                now.demand,
                Math.max(0, now.creditItems - now.messagesSent),
                Math.max(0, now.creditBytes - now.bytesSent),
                now.channels,
                now.roundTrips.lately(System.nanoTime()),
                now.roundTrips.all());
    }

    List<ChannelStats> channelStats() {
        return ended != null
                ? List.of()
                : channels.copy().stream()
                        .sorted(Comparator.comparingInt(Channel::number))
                        .limit(CHANNELS_SHOWN)
                        .map(channel -> channel.stats(channels.isOurs(channel.number())))
                        .toList();
    }

    @Override
    public void end(WeirException reason, boolean closeLink) {
        if (ended != null) {
            return;
        }
        ended = reason;
        outbox.end();
        keepAlive.end();
        link.end(reason);
        if (closeLink) {
            link.dismiss();
        }
        // Before the channels fail: who tries again at once must find that this peer is gone.
        peer.ended();
        for (Channel channel : channels.copy()) {
            channel.lost(reason);
        }
        for (Channel channel : channels.copy()) {
            if (channel.inbound().done()) {
                channels.remove(channel.number(), channel);
                channel.released();
            }
        }
        backlog.end();
        memory.give(MemoryUse.PEERS, MemoryAccount.PEER);
        memory.close();
        if (chunkHolder != null) {
            chunkHolder.release();
        }
        onEnd.accept(this);
        leaving.sessionEnded();
    }

    /** Whether something has come whole before the session ended, and waits to be asked for. */
    boolean undelivered() {
        return !channels.isEmpty();
    }

    /** Gives up what still waits after the end, as our node ends as well. */
    Mono<Void> abandonUndelivered(String reason) {
        return Mono.create(sink -> execute(() -> {
            for (Channel channel : channels.copy()) {
                channel.inbound()
                        .abandon(new SessionLost("the connection to " + peer.id()
                                + " was closed here before everything that had come was asked for: " + reason));
            }
            sink.success();
        }));
    }
}
