package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import io.weir.config.NodeSpec;
import io.weir.core.ContentMemory;
import io.weir.core.ErrorCode;
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
import io.weir.core.ReusedFrame;
import io.weir.core.ReusedList;
import io.weir.core.SessionLost;
import io.weir.core.SettingText;
import io.weir.core.WeirException;
import io.weir.flow.Lane;
import io.weir.flow.Lanes;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import io.weir.path.Errors;
import io.weir.path.Flags;
import io.weir.path.LastingLink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * What is between two nodes: the channels and the order in which they use the link. Everything but {@link #execute} and
 * the final fields belongs to the loop.
 */
final class Session implements LastingLink.User, KeepAlive.Watched, Turns.Lender {

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    /** How often closing looks whether everything has been sent. */
    private static final Duration DRAIN_LOOK = Duration.ofMillis(5);

    /** How long a goodbye waits for room on the link: a peer that reads makes some in far less. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    /**
     * Bytes of a window where there is memory for no more: credit for a short message at a time, and what is longer is
     * lent.
     */
    private static final int LEAST_WINDOW = 4 << 10;

    /** Messages that may come at first, in the same case. */
    private static final int LEAST_ITEMS = 4;

    /**
     * A peer numbers its channels one after the other, but leaves out those of channels that are still open: so many,
     * and ten times more, may never be in between.
     */
    private static final int LARGEST_STEP = 1 << 24;

    /** Enough for a page; to read them all would keep the loop from its work. */
    static final int CHANNELS_SHOWN = 256;

    /** So many channels that have ended may stand in the lanes at least, though they have nothing to send. */
    private static final int MOST_OVER_IN_LANES = 64;

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

    private final Lanes<Outgoing> lanes = new Lanes<>();
    private final IntObjectHashMap<Channel> channels = new IntObjectHashMap<>();
    private final ReusedFrame frames = new ReusedFrame();
    private final Runnable endOfTurn = this::endOfTurn;
    private final ReusedList<Channel> touched = new ReusedList<>();
    private boolean borrowed;
    /** It ends as soon as the loop's own thread has the loop; nothing more is taken. */
    private boolean doomed;

    private boolean turnEndWanted;
    private boolean draining;
    private boolean full;

    private @Nullable ContentMemory content;
    private final Refusals refusals = new Refusals();
    private final LongValues longValues;
    private final List<Confirmation> confirming = new ArrayList<>(0);
    /** Who waits until a condition holds, or the session is over. */
    private final Set<MonoSink<Void>> awaiting = ConcurrentHashMap.newKeySet();
    /** How often it was asked whether it has had everything. */
    private int confirmations;
    /** The last of these questions that the peer has answered. */
    private int confirmed;

    /** The peer is to be asked whether it is there, before anything else that waits for the link. */
    private boolean pingDue;
    /**
     * The latest such question, numbered downwards from 0: the positive numbers ask whether the peer has had
     * everything.
     */
    private int ping;

    private long pingedAt;
    /** A peer may say what it likes, but each answer counts once. */
    private boolean pongAwaited;

    /** Channels that have ended since the lanes were last looked through, and may still stand there. */
    private int overInLanes;

    /** A channel has ended, and the list of those touched may still hold it. */
    private boolean forgetDue;

    private @Nullable Channel latest;

    private int nextNumber;
    /** The number of the channel that the peer has opened last. */
    private int latestTheirs;

    private @Nullable WeirException ended;

    /** The peer is going to leave: what is begun now fails. */
    private boolean peerLeaves;

    /** The goodbye that waits for room on the link; null if there is none. */
    private @Nullable String farewell;

    private final KeepAlive keepAlive;
    private @Nullable ByteBuf chunkHolder;
    private Runnable onLeft = () -> {};
    private Disposable farewellLimit = Disposables.disposed();

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
        this.longValues = new LongValues(peer.id(), this::execute, memory);
        this.backlog = new Backlog(loop, memory, this::channelCount, this::drainLater);
        memory.take(MemoryUse.PEERS, MemoryAccount.PEER);
        this.keepAlive = new KeepAlive(
                this, loop, spec.keepAlive().interval(), spec.keepAlive().timeout());
        this.nextNumber = connecting ? 1 : 2;
        this.latestTheirs = connecting ? 0 : -1;
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
        pingDue = !offer(frame().set(FrameKind.PING, 0, 0, --ping));
        pingedAt = System.nanoTime();
        pongAwaited = true;
    }

    /** Asks it now, if it is not being asked: a side that has given the connection up has none to answer over. */
    void askWhetherThere() {
        if (ended == null && !changesLinks() && !pongAwaited) {
            ping();
        }
    }

    /** The peer has answered what was sent then. */
    void answeredSince(long nanos) {
        long now = System.nanoTime();
        counters.roundTrips.add(now - nanos, now);
    }

    private void pong(int number) {
        // That it has come was counted.
        confirmed = Math.max(confirmed, number);
        if (pongAwaited && number == ping) {
            pongAwaited = false;
            answeredSince(pingedAt);
        }
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
        return ended == null && !doomed && clear() ? link.lendable() : null;
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
        Channel channel = find(number);
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

    Lanes<Outgoing> lanes() {
        return lanes;
    }

    Frame frame() {
        return frames.next();
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

    /** Whether nothing waits for the link, so that a message may go at once. */
    boolean clear() {
        return !full && lanes.isEmpty();
    }

    boolean offer(Frame next) {
        if (full) {
            return false;
        }
        if (link.offer(next)) {
            return true;
        }
        full = true;
        return false;
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

    /**
     * Looks for credit to grant to this channel at the end of the turn; returns its place among them, or -1 if that is
     * not to be.
     */
    int touched(Channel channel) {
        if (ended != null) {
            return -1;
        }
        touched.add(channel);
        drainLater();
        return touched.size() - 1;
    }

    void drainLater() {
        if (!turnEndWanted && ended == null) {
            loop.atTurnEnd(endOfTurn);
            turnEndWanted = true;
        }
    }

    private void endOfTurn() {
        turnEndWanted = false;
        try {
            grantTouched();
            touched.clear();
            if (forgetDue) {
                forgetDue = false;
                touched.forget();
            }
            drain();
        } catch (VirtualMachineError e) {
            abandonHalfDone(e);
        }
    }

    /** If one channel's grant fails, the others still get theirs. */
    private void grantTouched() {
        for (int i = 0; i < touched.size(); i++) {
            try {
                touched.get(i).grant();
            } catch (RuntimeException e) {
                LOG.error("Granting credit to {} has failed", peer.id(), e);
            }
        }
    }

    /** Sends what waits, as far as the link has room. */
    void drain() {
        if (draining || full) {
            return;
        }
        draining = true;
        try {
            for (Outgoing next; !full && (next = lanes.next()) != null; ) {
                if (!next.push()) {
                    next.putBack();
                }
            }
        } finally {
            draining = false;
        }
        backlog.drained();
    }

    /** As {@link #drain}, for a caller that goes on: a session that finds no memory ends, and nothing is thrown. */
    void drainNow() {
        try {
            drain();
        } catch (VirtualMachineError e) {
            abandonHalfDone(e);
        }
    }

    @Override
    public void writable() {
        if (ended != null) {
            sayFarewell();
            return;
        }
        full = false;
        try {
            if (pingDue) {
                ping();
            }
            drain();
        } catch (VirtualMachineError e) {
            abandonHalfDone(e);
        }
    }

    /** Opens a channel and calls the waiter when the peer has answered. */
    void open(String port, int flags, Channel.Opening waiter, Consumer<Channel> opened) {
        try {
            PortNames.check(port);
        } catch (Misconfigured e) {
            waiter.refused(e);
            return;
        }
        WeirException refusal = refusal(port);
        if (refusal != null) {
            waiter.refused(refusal);
            return;
        }
        if (channels.size() >= spec.limits().channels()) {
            waiter.refused(new Overloaded("there are " + channels.size() + " channels to " + peer.id()
                    + " already (weir.max.channels=" + spec.limits().channels() + ')'));
            return;
        }
        Channel channel = channel(freeNumber(), port);
        if (channel == null) {
            waiter.refused(new Overloaded(noMemory()));
            return;
        }
        nextNumber = channel.number() + 2;
        opened.accept(channel);
        channel.opening(waiter, flags);
    }

    /**
     * The next one, also when all have been used once: those of channels that are still open are left out, and so is 0.
     */
    private int freeNumber() {
        int number = nextNumber;
        while (number == 0 || channels.containsKey(number)) {
            number += 2;
        }
        return number;
    }

    private String noRoom() {
        return channels.size() < spec.limits().channels()
                ? noMemory()
                : "too many channels (weir.max.channels=" + spec.limits().channels() + ')';
    }

    private String noMemory() {
        return "there is no memory for another channel with " + peer.id() + ": " + channels.size()
                + " are open, and what peers may have is used up (weir.memory.max)";
    }

    /**
     * A channel whose window is as large as it should be, or as there is memory for. Null if there is none at all.
     */
    private @Nullable Channel channel(int number, String port) {
        long bytes = spec.windows().bytes();
        long items = spec.windows().initial();
        long least = MemoryAccount.CHANNEL
                + Math.min(bytes, LEAST_WINDOW)
                + Math.min(items, LEAST_ITEMS) * MemoryAccount.ITEM;
        long most = MemoryAccount.CHANNEL + bytes + items * MemoryAccount.ITEM;
        long promised = memory.takeSome(MemoryUse.WINDOWS, least, most);
        if (promised == 0) {
            return null;
        }
        if (promised < most) {
            items = Math.min(items, Math.max(LEAST_ITEMS, promised / 4 / MemoryAccount.ITEM));
            bytes = promised - MemoryAccount.CHANNEL - items * MemoryAccount.ITEM;
        }
        return add(
                number,
                port,
                new Window(
                        spec.windows().items(), Math.min(bytes, spec.windows().bytes()), items),
                least,
                promised);
    }

    private Channel add(int number, String port, Window window, long least, long promised) {
        window.prefetch(window.outstanding());
        Channel channel = new Channel(this, number, port, window, least, promised);
        channels.put(number, channel);
        counters.channels = channels.size();
        return channel;
    }

    void forget(Channel channel) {
        if (channels.get(channel.number()) == channel) {
            channels.remove(channel.number());
        }
        channel.released();
        forgetDue = true;
        drainLater();
        // A peer that opens and ends channels as fast as it can must not have them kept until the turn ends, or the
        // link has room.
        int place = channel.touchedAt();
        if (place >= 0) {
            touched.remove(place).touchedAt(place);
            channel.touchedAt(-1);
        }
        if (channel.leftInLanes() && ++overInLanes > MOST_OVER_IN_LANES && overInLanes > lanes.size() / 2) {
            lanes.removeIf(Outgoing::isOver);
            overInLanes = 0;
        }
        counters.channels = channels.size();
        if (latest == channel) {
            latest = null;
        }
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
            Channel channel = find(in.channel());
            switch (in.kind()) {
                case DATA -> {
                    if (channel == null) {
                        in.body().release();
                        throw unknown(in);
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
            throw unknown(in);
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

    private static ProtocolMismatch unknown(Frame in) {
        return new ProtocolMismatch(
                in.kind() + " for channel " + Integer.toUnsignedString(in.channel()) + ", which is not open");
    }

    private void credit(@Nullable Channel channel, Frame in) {
        in.body().release();
        if (channel == null) {
            checkKnown(in);
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
                var unused = offer(frame().set(FrameKind.PONG, 0, 0, in.aux()));
            }
            case PONG -> pong(in.aux());
            case END, CANCEL, ERROR, WANT, DELIVERED, ABORT -> {
                if (channel == null) {
                    checkKnown(in);
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

    private @Nullable Channel find(int number) {
        Channel last = latest;
        if (last != null && last.number() == number) {
            return last;
        }
        Channel found = number == 0 ? null : channels.get(number);
        if (found != null) {
            latest = found;
        }
        return found;
    }

    /** A channel that has ended may still be spoken of for a while; one that never was may not. */
    private void checkKnown(Frame in) {
        int number = in.channel();
        boolean ours = isOurs(number);
        if (number == 0 || (ours ? number - nextNumber >= 0 : number - latestTheirs > 0)) {
            throw unknown(in);
        }
    }

    private void opened(Frame in) {
        int number = in.channel();
        String port = in.body().toString(StandardCharsets.UTF_8);
        int step = number - latestTheirs;
        if (isOurs(number) || step <= 0 || step > LARGEST_STEP || number == 0 || channels.containsKey(number)) {
            throw new ProtocolMismatch(
                    "OPEN with channel number " + Integer.toUnsignedString(number) + ", which is not the peer's next");
        }
        if (in.body().readableBytes() > PortNames.LONGEST) {
            throw new ProtocolMismatch("OPEN with a port name of " + in.body().readableBytes() + " bytes");
        }
        latestTheirs = number;
        Channel channel = channels.size() < spec.limits().channels() ? channel(number, port) : null;
        if (channel == null) {
            refusals.add(number);
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

    /**
     * Informs the peer that our node is going to leave. Completes when it begins nothing more here, or has not answered
     * for a while.
     */
    Mono<Void> tellLeaving() {
        return Mono.create(sink -> execute(() -> new Confirmation(sink, Flags.LEAVES).begin()));
    }

    /** Completes when nobody waits for anything that goes between the two, or when the limit has passed. */
    Mono<Void> quiet(Duration limit) {
        return awaited(() -> channels.values().stream().allMatch(Channel::idle), limit);
    }

    private void goodbye(Frame in) {
        end(new SessionLost(peer.id() + " has left: " + Errors.received(in.body())), true);
    }

    @Override
    public void lost(WeirException reason) {
        if (ended != null) {
            closeLink();
            return;
        }
        String text = peer.id() + " is gone: " + reason.getMessage();
        if (reason instanceof ProtocolMismatch) {
            host.breach("A session is ended here: " + text);
        }
        end(
                reason instanceof ProtocolMismatch ? new ProtocolMismatch(text, reason) : new SessionLost(text, reason),
                true);
        left();
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
                var unused = sayGoodbye(Errors.text(reason));
            } catch (OutOfMemoryError e) {
                // It ends without a word: half ended, it would keep its peer and its memory for ever.
            }
            end(reason, true);
        }
    }

    /** Ends, and says goodbye as soon as the link has room: what was handed to it before is still delivered. */
    private void leave(String reason, Runnable left) {
        if (ended != null) {
            Runnable first = onLeft;
            onLeft = () -> {
                first.run();
                left.run();
            };
            if (farewell == null) {
                left();
            }
            return;
        }
        farewell = reason;
        onLeft = left;
        end(new SessionLost("the connection to " + peer.id() + " was closed here: " + reason), false);
        farewellLimit = loop.schedule(this::closeLink, FAREWELL);
        sayFarewell();
    }

    private void sayFarewell() {
        if (farewell != null && (link.isForsaken() || sayGoodbye(farewell))) {
            closeLink();
        }
    }

    private void closeLink() {
        link.close();
        left();
    }

    private void left() {
        farewell = null;
        farewellLimit.dispose();
        Runnable waiter = onLeft;
        onLeft = () -> {};
        waiter.run();
    }

    private boolean sayGoodbye(String reason) {
        ByteBuf text = Unpooled.wrappedBuffer(reason.getBytes(StandardCharsets.UTF_8));
        boolean said = link.goodbye(frame().set(FrameKind.GOODBYE, 0, 0, 0).body(text));
        if (!said) {
            text.release();
        }
        return said;
    }

    /** Completes when nothing that was handed over waits to be sent, or when the limit has passed. */
    Mono<Void> drained(Duration limit) {
        return awaited(() -> idle() || link.isForsaken(), limit);
    }

    private Mono<Void> awaited(BooleanSupplier condition, Duration limit) {
        return Mono.<Void>create(sink -> {
            Disposable.Swap nextLook = Disposables.swap();
            Disposable.Swap end = Disposables.swap();
            sink.onDispose(Disposables.composite(nextLook, end, () -> awaiting.remove(sink)));
            execute(() -> {
                if (ended == null && !limit.isZero()) {
                    awaiting.add(sink);
                    var unused = end.replace(loop.schedule(sink::success, limit));
                    await(condition, sink, nextLook);
                } else {
                    sink.success();
                }
            });
        });
    }

    private void await(BooleanSupplier condition, MonoSink<Void> sink, Disposable.Swap nextLook) {
        if (ended != null || condition.getAsBoolean()) {
            sink.success();
        } else {
            nextLook.replace(loop.schedule(() -> await(condition, sink, nextLook), DRAIN_LOOK));
        }
    }

    private boolean idle() {
        if (!lanes.isEmpty() || !link.isClear()) {
            return false;
        }
        for (Channel channel : channels.values()) {
            if (!channel.outbound().isEmpty()) {
                return false;
            }
        }
        return true;
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
        left();
    }

    /** Says goodbye and ends; if its link is just lost or left, as soon as what was under way goes on. */
    Mono<Void> left(String reason) {
        return awaited(() -> link.isClear() || link.isForsaken(), FAREWELL)
                .then(Mono.<Void>create(sink -> execute(() -> new Confirmation(sink, 0).begin())))
                .then(Mono.create(sink -> execute(() -> leave(reason, sink::success))));
    }

    /**
     * Waits until the peer has had everything that was sent so far, as it may just have lost the link over which that
     * went, and who has ended the session does not hear of it.
     */
    private final class Confirmation {

        /** Should there have been no room for the answer. */
        private static final int LOOKS_PER_QUESTION = 20;

        private final MonoSink<Void> sink;
        private final int flags;
        private final int number = ++confirmations;
        private Disposable limit = Disposables.disposed();
        private Disposable nextLook = Disposables.disposed();
        private boolean asked;
        private int looks;

        /** @param flags of the question: what else it says, 0 for nothing */
        Confirmation(MonoSink<Void> sink, int flags) {
            this.sink = sink;
            this.flags = flags;
        }

        void begin() {
            if (ended != null || (flags == 0 && !link.mayBeLostUnseen())) {
                sink.success();
                return;
            }
            confirming.add(this);
            limit = loop.schedule(this::end, FAREWELL);
            look();
        }

        private void look() {
            if (ended != null || confirmed >= number || link.isForsaken()) {
                end();
                return;
            }
            if (!asked || looks++ % LOOKS_PER_QUESTION == 0) {
                asked = offer(frame().set(FrameKind.PING, flags, 0, number));
            }
            nextLook = loop.schedule(this::look, DRAIN_LOOK);
        }

        private void end() {
            confirming.remove(this);
            limit.dispose();
            nextLook.dispose();
            sink.success();
        }
    }

    /**
     * Channels for which there is no room, until the peer has been sent that. Its opener sends nothing before it is
     * accepted, so nothing else is to be known of them.
     */
    private final class Refusals implements Outgoing {

        private final ArrayDeque<Integer> numbers = new ArrayDeque<>(0);
        private boolean listed;

        void add(int number) {
            if (numbers.size() >= spec.limits().channels()) {
                throw new ProtocolMismatch("OPEN although " + numbers.size()
                        + " channels are refused and it does not read that (weir.max.channels)");
            }
            numbers.add(number);
            list();
            drainLater();
        }

        @Override
        public void list() {
            if (!listed) {
                listed = true;
                lanes.add(Lane.CONTROL, this);
            }
        }

        @Override
        public void putBack() {
            if (!listed) {
                listed = true;
                lanes.putBack(Lane.CONTROL, this);
            }
        }

        @Override
        public boolean push() {
            listed = false;
            for (Integer number; (number = numbers.peek()) != null; numbers.remove()) {
                ByteBuf text = Unpooled.wrappedBuffer(noRoom().getBytes(StandardCharsets.UTF_8));
                if (!offer(frame().set(FrameKind.ERROR, 0, number, ErrorCode.OVERLOADED.code())
                        .body(text))) {
                    return false;
                }
            }
            return true;
        }
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
                : channels.values().stream()
                        .sorted(Comparator.comparingInt(Channel::number))
                        .limit(CHANNELS_SHOWN)
                        .map(channel -> channel.stats(isOurs(channel.number())))
                        .toList();
    }

    /** Whether a channel of this number is one that we open. */
    private boolean isOurs(int number) {
        return (number & 1) == (nextNumber & 1);
    }

    private void end(WeirException reason, boolean closeLink) {
        if (ended != null) {
            return;
        }
        ended = reason;
        full = true;
        keepAlive.end();
        link.end(reason);
        if (closeLink) {
            link.dismiss();
        }
        // Before the channels fail: who tries again at once must find that this peer is gone.
        peer.ended();
        for (Channel channel : new ArrayList<>(channels.values())) {
            channel.lost(reason);
        }
        for (Channel channel : new ArrayList<>(channels.values())) {
            if (channel.inbound().done()) {
                channels.remove(channel.number());
                channel.released();
            }
        }
        backlog.end();
        memory.give(MemoryUse.PEERS, MemoryAccount.PEER);
        memory.close();
        counters.channels = channels.size();
        latest = null;
        if (chunkHolder != null) {
            chunkHolder.release();
        }
        onEnd.accept(this);
        List.copyOf(confirming).forEach(Confirmation::end);
        // The loop may end with the session, and look no more.
        List.copyOf(awaiting).forEach(MonoSink::success);
    }

    /** Whether something has come whole before the session ended, and waits to be asked for. */
    boolean undelivered() {
        return !channels.isEmpty();
    }

    /** Gives up what still waits after the end, as our node ends as well. */
    Mono<Void> abandonUndelivered(String reason) {
        return Mono.create(sink -> execute(() -> {
            for (Channel channel : new ArrayList<>(channels.values())) {
                channel.inbound()
                        .abandon(new SessionLost("the connection to " + peer.id()
                                + " was closed here before everything that had come was asked for: " + reason));
            }
            sink.success();
        }));
    }
}
