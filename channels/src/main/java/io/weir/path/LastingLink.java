package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.config.PathPolicy;
import io.weir.config.TimeoutSpec;
import io.weir.core.Ends;
import io.weir.core.ForeignText;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Lendable;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.Protection;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import io.weir.memory.MemoryAccount;
import io.weir.peer.Identity;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The link of a session, which goes on while the links below it come and go: what it takes arrives once and in order,
 * whichever of them is lost or left meanwhile. {@link Moves} decides what is said and done for that; this is where the
 * links are, the frames that may have to go once more, and the time that a move may take.
 *
 * <p>The bootstrap connection carries what is agreed about links, and may itself be one of them. When it is lost, the
 * side that has connected replaces it. Meanwhile the session goes on over the link that it has, if both directions are
 * settled there and stay so; otherwise it waits, and begins again over the next link as after the loss of any other.
 *
 * <p>Belongs to the loop, but for {@link #execute} and what any thread may ask of a link.
 */
public final class LastingLink implements Link {

    /** Who has it as its link. */
    public interface User extends LinkHandler {

        /** Runs the task on the loop: now if the caller is on it. If it finds no memory halfway, the session ends. */
        void execute(Runnable task);

        /** What has come could not be dealt with, as the peer broke the protocol or for another reason. */
        void failed(Throwable reason);

        /** It does not go on, and the peer is to hear why, if there is a way. */
        void abandon(WeirException reason);
    }

    /** More than a peer that reads ever leaves waiting of frames that carry no messages. */
    private static final int MOST_DUE = 256;

    /**
     * In PROPOSE, from the side that follows, and in the answer: what it wants of the side that leads. No attempt has
     * this number.
     */
    public static final int WISH = 0;

    private final Loop loop;
    private final long number;
    private final PeerId peer;
    private final Identity identity;
    private final boolean direct;
    private final TimeoutSpec timeouts;
    private final Retained retained;
    private final @Nullable PathChoice choice;
    private final @Nullable Trials trials;
    private final Moves moves;
    private final Rejoining rejoining;

    private @Nullable User user;
    private Leg bootstrap;
    /** All that are open: the bootstrap connection, and those that one direction or the other still uses. */
    private final List<Leg> legs = new ArrayList<>(3);

    /** Over which the session's frames may go now; null while they have to wait. */
    private @Nullable Link clear;
    /** Over which they go; while they wait, over which they went last. */
    private Link current;
    /** Of that link, asked for with each message. */
    private int maxFrame;

    private boolean takesLent;

    // The same for other threads.
    private volatile ByteBufAllocator allocator;
    private volatile Carrier carrier;
    private volatile boolean overLendable;

    // Counters, read by others without ordering.
    private long framesSent;
    private long framesReceived;

    private final Undelivered undelivered;
    private final Frame holder = new Frame();
    private Disposable limit = Disposables.disposed();
    /** Until the link that we leave counts as lost, or the new one where that is the bootstrap connection. */
    private Disposable leaving = Disposables.disposed();

    /** Something is due or about to change, which whoever has room must know. */
    private boolean busy;
    /** The session waits to hear that its frames may go. */
    private boolean awaited;

    /** The next loss is the end. */
    private boolean doomed;

    private @Nullable WeirException ended;

    /** One link, which it neither changes nor outlives. */
    public LastingLink(
            Loop loop, Link only, PeerId peer, Identity identity, TimeoutSpec timeouts, MemoryAccount.Share memory) {
        this(loop, 0, peer, identity, false, timeouts, new Retained(memory, 0), only, null, 0, only, null);
    }

    /**
     * Begins with the link of the handshake's last attempt.
     *
     * @param sessionNumber by which both sides know the session
     * @param direct whether what was dialled leads to who has accepted
     * @param choice who decides which path comes next; null if there is nothing to decide
     */
    public LastingLink(
            Loop loop,
            long sessionNumber,
            PeerId peer,
            Identity identity,
            boolean direct,
            TimeoutSpec timeouts,
            Retained retained,
            Link bootstrapLink,
            @Nullable String path,
            int number,
            Link link,
            @Nullable PathChoice choice) {
        this.loop = loop;
        this.number = sessionNumber;
        this.peer = peer;
        this.identity = identity;
        this.direct = direct;
        this.timeouts = timeouts;
        this.retained = retained;
        this.undelivered = new Undelivered(retained);
        this.choice = choice;
        this.trials = choice == null ? null : new Trials(this, loop, choice, number);
        this.bootstrap = new Leg(bootstrapLink, Moves.BOOTSTRAP);
        legs.add(bootstrap);
        Leg first = leg(link, number);
        first.path = path == null ? link.transport() : path;
        this.moves = new Moves(number, isBootstrap(first), new Steps());
        this.rejoining = new Rejoining(this, loop, timeouts, moves, choice);
        this.clear = link;
        this.current = link;
        this.maxFrame = link.maxFrame();
        this.takesLent = link.takesLent();
        this.allocator = link.allocator();
        this.carrier = new Carrier(link, 0, 0);
        this.overLendable = link instanceof Lendable;
    }

    /** The links may be used from now on. */
    public void begin(User its) {
        user = its;
        for (Leg leg : List.copyOf(legs)) {
            keep(leg);
            leg.link.handler(leg);
        }
        if (choice != null) {
            choice.begin(this);
        }
    }

    /** What goes over it may have to go again. */
    private void keep(Leg leg) {
        if (choice != null && !choice.stays()) {
            leg.link.retain(retained.bytes());
        }
    }

    /**
     * The peer's session may have begun with a link that was lost before ours could: what it has sent there goes again.
     */
    public void beginsAgain() {
        moves.beginsAgain();
        settle();
    }

    User user() {
        return Objects.requireNonNull(user);
    }

    @SuppressWarnings("ReferenceEquality") // Legs and links are compared as what they are.
    private boolean isBootstrap(Leg leg) {
        return leg == bootstrap;
    }

    @SuppressWarnings("ReferenceEquality")
    private Leg leg(Link link, int number) {
        if (link == bootstrap.link) {
            return bootstrap;
        }
        Leg leg = new Leg(link, number);
        legs.add(leg);
        return leg;
    }

    private Leg leg(int id) {
        for (Leg leg : legs) {
            if (leg.id == id) {
                return leg;
            }
        }
        if (id == Moves.BOOTSTRAP) {
            return bootstrap;
        }
        throw new IllegalStateException("there is no link " + id);
    }

    // What a session asks of any link.

    @Override
    public String transport() {
        return carrier.link.transport();
    }

    @Override
    public Protection protection() {
        return carrier.link.protection();
    }

    @Override
    public Ends ends() {
        return carrier.link.ends();
    }

    @Override
    public String caveat() {
        return carrier.link.caveat();
    }

    @Override
    public int maxFrame() {
        return maxFrame;
    }

    @Override
    public boolean takesInPlace(ByteBuf body) {
        return current.takesInPlace(body);
    }

    @Override
    public boolean takesRegions() {
        return current.takesRegions();
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean takesLent() {
        return takesLent;
    }

    @Override
    public boolean offer(Frame frame) {
        Link over = clear;
        if (over != null && over.offer(frame)) {
            framesSent++;
            return true;
        }
        return false;
    }

    @Override
    public long wakeUps() {
        return carrier.wakeUps();
    }

    @Override
    public long rejectedFrames() {
        return carrier.rejectedFrames();
    }

    /** It has one user for its whole life, see {@link #begin}. */
    @Override
    public void handler(LinkHandler handler) {
        throw new UnsupportedOperationException("a lasting link has one user, and begins with it");
    }

    /** Ends everything in good order. */
    @Override
    public void close() {
        endAll(Link::close);
    }

    /**
     * Ends everything for a peer that has gone, or has to go: it may keep its sockets open, and only a few of ours wait
     * for it.
     */
    @Override
    public void dismiss() {
        endAll(Link::dismiss);
    }

    private void endAll(Consumer<Link> each) {
        end(new Refused("the connection to " + peer + " has ended"));
        for (Leg leg : List.copyOf(legs)) {
            each.accept(leg.link);
        }
        legs.clear();
    }

    // What else a session asks of this one.

    /** Frames of every kind that count as the session's. Any thread. */
    public long framesSent() {
        return framesSent;
    }

    /** The same of those that have come. */
    public long framesReceived() {
        return framesReceived;
    }

    /**
     * Whether frames are taken as far as there is room. If not, something is about to change, which has a limit of its
     * own, and {@link LinkHandler#writable()} follows.
     */
    public boolean isClear() {
        return moves.isClear();
    }

    /** The link below, if who has borrowed the loop may use it now. */
    @Nullable
    public Lendable lendable() {
        return clear instanceof Lendable lendable && isClear() ? lendable : null;
    }

    /** Whether the link below may be one that can be lent. Any thread. */
    public boolean isOverLendable() {
        return overLendable;
    }

    /** Whether the other side can lose the link over which our frames go while we take it for open. */
    public boolean mayBeLostUnseen() {
        return choice != null && !choice.stays() && moves.ours() != Moves.BOOTSTRAP;
    }

    /** Whether it waits for the peer to connect anew: who closes does not wait for that. */
    public boolean isForsaken() {
        return rejoining.waitsForPeer() && moves.ours() == Moves.NONE;
    }

    /**
     * Says goodbye behind everything that was sent, or over the bootstrap connection where nothing can be sent. Takes
     * the body if it returns true.
     */
    public boolean goodbye(Frame goodbye) {
        Link over = farewell();
        return over != null && over.offer(goodbye);
    }

    private @Nullable Link farewell() {
        if (moves.ours() != Moves.NONE) {
            return current;
        }
        return rejoining.isAway() ? null : bootstrap.link;
    }

    /** Something of the session is half done: no link is replaced any more. */
    public void doom() {
        doomed = true;
    }

    /** Nothing is agreed any more; the links stay open. */
    public void end(WeirException reason) {
        if (ended != null) {
            return;
        }
        ended = reason;
        clear = null;
        moves.end();
        limit.dispose();
        leaving.dispose();
        rejoining.end();
        if (choice != null) {
            choice.end();
        }
        endTrial();
        legs.forEach(Leg::forget);
        undelivered.end();
    }

    boolean hasEnded() {
        return ended != null;
    }

    /** What is tried is given up, without a word. */
    void endTrial() {
        if (trials != null) {
            trials.end();
        }
    }

    // What the node and its users ask.

    /** Loses every link but the bootstrap connection. */
    public void cut(Promise<Boolean> promise) {
        if (ended != null) {
            promise.error(ended);
            return;
        }
        List<Integer> others = moves.others();
        if (others.isEmpty()) {
            promise.error(new Refused("the connection to " + peer + " goes over its bootstrap connection"));
            return;
        }
        for (int each : others) {
            moves.lost(each, new SessionLost("it was cut on purpose"), true);
        }
        promise.success(true);
    }

    public void moveTo(String wanted, Promise<PathDecision> promise) {
        if (ended != null) {
            promise.error(ended);
        } else if (choice == null) {
            promise.error(new Refused("this connection has one path only"));
        } else {
            choice.wish(wanted, promise);
        }
    }

    public void reorder(PathPolicy order, Promise<PathDecision> promise) {
        if (ended != null) {
            promise.error(ended);
        } else if (choice == null) {
            promise.error(new Refused("this connection has one path only"));
        } else {
            try {
                choice.reorder(order, promise);
            } catch (WeirException e) {
                promise.error(e);
            }
        }
    }

    /** The device of this path is missing now, or back. */
    public void deviceChanged(String path) {
        if (ended == null && choice != null) {
            choice.deviceChanged(path);
        }
    }

    // What the choice of a path asks.

    Loop loop() {
        return loop;
    }

    /** Whether nothing is about to change. */
    boolean isSettled() {
        return moves.isSettled();
    }

    /** Whether something waits for a path. */
    boolean isSuspended() {
        return moves.isSuspended();
    }

    /** Whether there is a bootstrap connection, so that something can be agreed. */
    boolean isReachable() {
        return !rejoining.isAway();
    }

    /** Whether there is a move under way. */
    boolean isMoving() {
        return moves.next() != Moves.NONE;
    }

    /** The paths that are tried; only a session that can change its path has some. */
    Trials trials() {
        return Objects.requireNonNull(trials);
    }

    /** The path that was agreed on last; null while there is none. */
    @Nullable
    String path() {
        return moves.target() == Moves.NONE ? null : leg(moves.target()).path;
    }

    Link bootstrap() {
        return bootstrap.link;
    }

    /** Sends the leading side what this one wants, or has to report about its devices. */
    void tellLeader(int flags, String text) {
        bootstrap.say(KeptFrame.of(FrameKind.PROPOSE, flags, WISH, 0, HandshakeCodec.text(text)));
    }

    /** Sends this over the bootstrap connection. Takes over the body. */
    void send(FrameKind kind, int number, ByteBuf body) {
        bootstrap.say(KeptFrame.of(kind, number, 0, body));
    }

    // What comes over the links and is about them.

    private void receive(Frame in) {
        WeirException over = ended;
        if (over != null || doomed) {
            in.body().release();
            return;
        }
        try {
            about(in);
        } catch (Throwable e) {
            user().failed(e);
        } finally {
            in.body().release();
        }
    }

    private void about(Frame in) {
        if (choice == null) {
            throw outOfPlace(in.kind());
        }
        switch (in.kind()) {
            case PROPOSE -> {
                if (in.aux() == WISH && choice.leads()) {
                    choice.told(in);
                } else {
                    trials().proposed(in.aux(), HandshakeCodec.readReason(in.body()));
                }
            }
            case OFFER, OPENED, FAILED, PROBE, PROBED, USE -> {
                if (trials().frame(in, moves.used())) {
                    moves.givenUpThere();
                }
            }
            case MOVE -> moves.move(in.aux(), in.first());
            case MOVED -> moves.moved(in.aux());
            case RESUME -> moves.resume(in.aux(), in.first());
            case LOST ->
                moves.lostThere(
                        in.aux(),
                        in.first(),
                        in.has(Flags.ANSWERED),
                        new SessionLost("at " + ForeignText.brief(peer.toString()) + ": "
                                + HandshakeCodec.readReason(in.body())));
            default -> throw outOfPlace(in.kind());
        }
    }

    public static ProtocolMismatch outOfPlace(FrameKind kind) {
        return new ProtocolMismatch(kind + " has no place in an open session");
    }

    // What happens to the links.

    /** The link of this attempt is there, and both sides agree to use it. */
    void opened(Link link, int attempt, String path) {
        Leg leg = leg(link, attempt);
        leg.path = path;
        if (!isBootstrap(leg)) {
            keep(leg);
        }
        moves.opened(attempt, isBootstrap(leg));
        link.handler(leg);
    }

    private void lost(Leg leg, WeirException reason) {
        if (ended != null) {
            if (leg.link.equals(farewell())) {
                user().lost(reason);
            }
        } else if (isBootstrap(leg)) {
            rejoining.lost(reason, false);
        } else if (legs.contains(leg)) {
            moves.lost(leg.id, reason, false);
        }
    }

    /** What {@link Moves} has done here. */
    private final class Steps implements Moves.Effects {

        private String droppedPath = "";

        @Override
        public long sent() {
            return framesSent - undelivered.sentAgain();
        }

        @Override
        public long received() {
            return framesReceived;
        }

        @Override
        public void say(int link, FrameKind kind, int number, long count) {
            leg(link).say(KeptFrame.of(kind, number, count));
        }

        @Override
        public void sayLost(int number, int goesOver, boolean answers, String reason) {
            int flags = answers ? Flags.ANSWERED : 0;
            bootstrap.say(KeptFrame.of(FrameKind.LOST, flags, number, goesOver, HandshakeCodec.text(reason)));
        }

        @Override
        public void hold() {
            clear = null;
            awaited = true;
        }

        @Override
        public void sendOver(int link) {
            Link other = leg(link).link;
            current = other;
            maxFrame = other.maxFrame();
            takesLent = other.takesLent();
            allocator = other.allocator();
            carrier = carrier.next(other);
            overLendable = other instanceof Lendable;
        }

        @Override
        public boolean takeBack(int link, boolean counts) {
            return undelivered.takeBack(leg(link).link, counts);
        }

        @Override
        public int kept() {
            return undelivered.kept();
        }

        @Override
        public void sendAgain(long missing) {
            undelivered.sendAgain(missing, current);
        }

        @Override
        public void dropKept() {
            undelivered.dropKept();
        }

        @Override
        public boolean owes() {
            return undelivered.isDue();
        }

        @Override
        public void replay() {
            Leg over = leg(moves.ours());
            while (undelivered.isDue() && over.due.isEmpty() && undelivered.offerNext(over.link)) {
                framesSent++;
            }
            undelivered.forgetIfNothingWaits();
        }

        @Override
        public boolean hasDue(int link) {
            return !leg(link).due.isEmpty();
        }

        @Override
        public void drop(int link, boolean isOpen) {
            Leg leg = leg(link);
            droppedPath = leg.path;
            legs.remove(leg);
            leg.forget();
            if (isOpen) {
                leg.link.close();
            }
        }

        @Override
        public boolean isFatal(WeirException reason) {
            return rejoining.isFinal()
                    || choice == null
                    || choice.stays()
                    || doomed
                    || reason instanceof ProtocolMismatch;
        }

        @Override
        public void over(WeirException reason) {
            user().lost(reason);
        }

        @Override
        public void abandon(WeirException reason) {
            user().abandon(reason);
        }

        @Override
        public void lost(int link, WeirException reason, boolean wasTarget) {
            Objects.requireNonNull(choice).lost(droppedPath, Errors.text(reason), wasTarget);
            if (moves.isSuspended()) {
                rejoining.hasten();
            }
        }

        @Override
        public void bootstrapLost(WeirException reason) {
            rejoining.lost(reason, true);
        }

        @Override
        public void needed() {
            Objects.requireNonNull(choice).needed();
        }

        @Override
        public void givenUp() {
            Objects.requireNonNull(choice).lost(bootstrap.path, "the peer had given it up", true);
        }

        @Override
        public void changed() {
            settle();
        }
    }

    void settle() {
        if (ended != null) {
            return;
        }
        moves.settle();
        boolean quiet = isSettled();
        busy = !quiet || legs.stream().anyMatch(leg -> !leg.due.isEmpty());
        if (moves.next() == Moves.NONE) {
            leaving.dispose();
        } else if (leaving.isDisposed()) {
            leaving = loop.schedule(this::stillLeaving, moveTimeout());
        }
        if (quiet) {
            limit.dispose();
        } else if (limit.isDisposed()) {
            limit = loop.schedule(this::tooLate, timeouts.resume());
        }
        if (isClear() && leg(moves.ours()).due.isEmpty()) {
            goOn();
        }
        if (quiet && choice != null) {
            choice.settled();
        }
    }

    /** The session's frames may go again. It hears that when this turn ends, as it may do anything then. */
    private void goOn() {
        if (clear == null) {
            clear = current;
        }
        if (awaited) {
            awaited = false;
            loop.atTurnEnd(this::announce);
        }
    }

    private void announce() {
        if (ended == null && clear != null) {
            user().writable();
        }
    }

    private Duration moveTimeout() {
        // Shorter than it may be on its way, so that it still goes on by other means.
        Duration most = timeouts.resume().dividedBy(2);
        return timeouts.step().compareTo(most) < 0 ? timeouts.step() : most;
    }

    /**
     * Nothing may get through any more over a link that does not break, as over a port that is down: what it has not
     * delivered goes again.
     */
    private void stillLeaving() {
        int going = moves.next();
        loop.execute(() -> {
            if (ended != null || going == Moves.NONE || going != moves.next()) {
                return;
            }
            SessionLost reason = new SessionLost("what has to arrive before " + leg(going).path
                    + " is used did not come within " + SettingText.of(moveTimeout()) + " (weir.timeout.step)");
            // The bootstrap connection has limits of its own: there it is the new link that does not deliver.
            moves.lost(moves.ours() == Moves.BOOTSTRAP ? going : moves.ours(), reason, true);
        });
    }

    /** What has just woken us may be what was awaited: it is read before tasks are run. */
    private void tooLate() {
        loop.execute(() -> {
            if (ended == null && !isSettled()) {
                user().abandon(new SessionLost("the connection to " + peer
                        + " has lost its path, and did not go on over another one within "
                        + SettingText.of(timeouts.resume()) + " (weir.timeout.resume)"));
            }
        });
    }

    // The bootstrap connection is replaced.

    /** By which both sides know the session. */
    long number() {
        return number;
    }

    PeerId peerId() {
        return peer;
    }

    /** Whether who connects anew has proved as much as before. Its name and host are claims. */
    boolean isStill(Identity its, boolean isDirect) {
        return identity.knowsSecret() == its.knowsSecret()
                && Objects.equals(identity.principal(), its.principal())
                && (isDirect || !direct || identity.provedItself());
    }

    /** See {@link User#execute}. */
    void execute(Runnable task) {
        user().execute(task);
    }

    /** Whether both know it under this number, and this is the side that leads it or the other one. */
    public boolean isNumbered(long wanted, boolean leading) {
        return choice != null && choice.leads() == leading && number == wanted;
    }

    boolean leads() {
        return choice != null && choice.leads();
    }

    /** Whether it can do with another bootstrap connection, of one who has proved this. Any thread. */
    public boolean mayBeRejoined(Identity its, boolean isDirect) {
        return choice != null && !choice.stays() && !isTunnel() && isStill(its, isDirect);
    }

    /** Whether the bootstrap connection leads through gateways: then the session ends with it. */
    public boolean isTunnel() {
        return bootstrap.link instanceof TunnelledLink;
    }

    /** How many tunnels lie in each other below the bootstrap connection. */
    public int tunnelDepth() {
        return bootstrap.link instanceof TunnelledLink tunnel ? tunnel.depth() : 0;
    }

    /** The attempt over whose link both directions go without need of the bootstrap connection; 0 if there is none. */
    int settledNumber() {
        return moves.settledNumber();
    }

    /** The peer can be reached there. */
    public void dial(PeerAddress address, TlsSpec tls) {
        rejoining.dial(address, tls);
    }

    /** See {@link Absence#peerLives}. */
    public void peerLives() {
        rejoining.peerLives();
    }

    /**
     * The peer, who has dialled, wants to go on over this connection.
     *
     * @return whether it is taken
     */
    public boolean rejoin(Link link, int theirSettled) {
        return rejoining.offered(link, theirSettled);
    }

    Rejoining rejoining() {
        return rejoining;
    }

    /** The bootstrap connection is lost; returns false if what was under way over it can't be sent again. */
    boolean bootstrapGone(boolean openHere) {
        legs.remove(bootstrap);
        boolean keptAll = moves.goesAway();
        bootstrap.forget();
        if (openHere) {
            bootstrap.link.close();
        }
        return keptAll;
    }

    /** There is another bootstrap connection, of which nothing is heard yet. */
    void bootstrapIs(Link link) {
        bootstrap = new Leg(link, Moves.BOOTSTRAP);
        legs.add(bootstrap);
        keep(bootstrap);
    }

    /** Frames that come over the bootstrap connection are dealt with from now on. */
    void listenToBootstrap() {
        bootstrap.link.handler(bootstrap);
    }

    /** The link that is sent over, as other threads see it, and what those before it have counted. */
    private record Carrier(Link link, long wakeUpsBefore, long rejectedBefore) {

        long wakeUps() {
            return wakeUpsBefore + link.wakeUps();
        }

        long rejectedFrames() {
            return rejectedBefore + link.rejectedFrames();
        }

        Carrier next(Link other) {
            return new Carrier(other, wakeUps() - other.wakeUps(), rejectedFrames() - other.rejectedFrames());
        }
    }

    /** One link, and what has to be said over it as soon as it has room. */
    private final class Leg implements LinkHandler {

        final Link link;
        /** As {@link Moves} names it. */
        final int id;

        String path = "";
        final ArrayDeque<KeptFrame> due = new ArrayDeque<>(0);

        Leg(Link link, int id) {
            this.link = link;
            this.id = id;
        }

        void say(KeptFrame frame) {
            if (ended != null || (rejoining.isAway() && isBootstrap(this))) {
                frame.release();
                return;
            }
            due.add(frame);
            flush();
            busy |= !due.isEmpty();
            if (due.size() > MOST_DUE) {
                user().abandon(new SessionLost(peer + " does not read what is to be agreed with it"));
            }
        }

        void flush() {
            for (KeptFrame first; (first = due.peek()) != null && link.offer(first.into(holder)); ) {
                due.remove();
            }
            holder.clear();
        }

        void forget() {
            KeptFrame.releaseAll(due);
        }

        @Override
        public void frame(Frame in) {
            // Those of a channel come first, as they are most: a look at the kind costs more.
            if (in.channel() != 0 || KeptFrame.counts(in.kind())) {
                framesReceived++;
                user().frame(in);
            } else {
                receive(in);
            }
        }

        @Override
        public void writable() {
            if (busy && ended == null) {
                for (Leg leg : List.copyOf(legs)) {
                    leg.flush();
                }
                settle();
            }
            if (ended != null || clear != null) {
                user().writable();
            }
        }

        @Override
        public void lost(WeirException reason) {
            LastingLink.this.lost(this, reason);
        }
    }
}
