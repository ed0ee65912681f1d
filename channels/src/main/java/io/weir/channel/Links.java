package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.weir.config.PathPolicy;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.SessionLost;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
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
 * The links of one session: over which of them its frames go, and how they go on over another one. Loop thread only.
 *
 * <p>Each direction moves by itself, and stops while it does: who sends says MOVE as the last thing over the old link
 * and goes on over the new one when it has heard MOVED there. The receiver meanwhile has what is under way to read, so
 * it waits for one round trip of the new link only, and never has to put frames in order. What does not deliver in time
 * counts as lost.
 *
 * <p>When a link is lost, each side sends the other LOST over the bootstrap connection, and where its own frames go
 * now. Frames that were under way wait here until the peer says over the next link, with RESUME, how many have arrived;
 * those behind go once more.
 *
 * <p>The bootstrap connection carries what is agreed about links, and may itself be the link. When it is lost, the side
 * that has connected replaces it. Meanwhile the session goes on over the link that it has, if both directions are
 * settled there and stay so; otherwise it waits, and begins again over the next link as after the loss of any other.
 */
final class Links implements PathAttempt.Owner {

    /** More than a peer that reads ever leaves waiting of frames that carry no messages. */
    private static final int MOST_DUE = 256;

    /** Another link may still hold what had come before the bootstrap connection ended. */
    private static final Duration DRAIN = Duration.ofMillis(500);

    /** No attempt has this number. */
    private static final int NOWHERE = -1;

    /**
     * In PROPOSE, from the side that follows, and in the answer: what it wants of the side that leads. No attempt has
     * this number.
     */
    static final int WISH = 0;

    /** In LOST: our frames go over the bootstrap connection, under whichever number. */
    private static final int OVER_BOOTSTRAP = -1;

    private final Session session;
    private final long number;
    private final Loop loop;
    private Leg bootstrap;
    /** All that are open: the bootstrap connection, and those that one direction or the other still uses. */
    private final List<Leg> legs = new ArrayList<>(3);

    private final @Nullable PathChoice choice;

    /** Which of them has the session itself as its handler: in the long run the one over which everything comes. */
    private Leg home;
    /** The one that was agreed on last; null if it is lost. */
    private @Nullable Leg target;
    /** Over which our frames go; null if they wait for another one. */
    private @Nullable Leg ours;
    /** Over which they shall go as soon as the peer has said MOVED. */
    private @Nullable Leg next;
    /**
     * MOVE is not said yet: what has to go once more goes over our link before it, in the pieces that it was cut into.
     */
    private boolean moveDue;
    /** Our frames wait for the peer's RESUME, or MOVED, over their link. */
    private boolean resumeAwaited;
    /** The attempt over whose link the peer's frames come. */
    private int theirs;
    /** The peer's frames wait for our RESUME. */
    private boolean resumeWanted;
    /** The attempt over whose link we have said RESUME last. */
    private int resumedOver = NOWHERE;
    /** The peer's MOVE has come before the USE of the attempt that it names. */
    private int earlyMove;

    /** What a lost link may not have delivered, in the order of the session. */
    private final ArrayDeque<KeptFrame> kept = new ArrayDeque<>();
    /** Of this, what has to go once more before anything else. */
    private final ArrayDeque<KeptFrame> replay = new ArrayDeque<>();

    private long heard;
    private @Nullable PathAttempt attempt;
    private int attempts;
    private final ProposalRate proposals = new ProposalRate(System::nanoTime);
    /** The last one that both sides have said USE of. */
    private int used;

    private Disposable limit = Disposables.disposed();
    /** Until the link that we leave counts as lost, or the new one where that is the bootstrap connection. */
    private Disposable leaving = Disposables.disposed();

    private Disposable draining = Disposables.disposed();
    /** Something is due or about to change, which whoever has room must know. */
    private boolean busy;

    /** Nobody replaces it. */
    private boolean bootstrapLost;

    /** Why there is no bootstrap connection just now; null while there is one. */
    private @Nullable WeirException away;

    private long awaySince;
    private Disposable patience = Disposables.disposed();
    /** The peer has been heard of since. */
    private boolean isAlive;
    /** Only what becomes of the present try is still awaited. */
    private boolean overdue;

    private @Nullable Redial redial;
    private boolean ended;

    /** A session with one link, which it neither changes nor outlives. */
    Links(Session session, Loop loop, Link only) {
        this(session, 0, loop, only, null, 0, only, null);
    }

    /**
     * Begins with the link of the handshake's last attempt.
     *
     * @param sessionNumber by which both sides know the session
     * @param choice who decides which path comes next; null if there is nothing to decide
     */
    Links(
            Session session,
            long sessionNumber,
            Loop loop,
            Link bootstrapLink,
            @Nullable String path,
            int number,
            Link link,
            @Nullable PathChoice choice) {
        this.session = session;
        this.number = sessionNumber;
        this.loop = loop;
        this.choice = choice;
        this.attempts = number;
        this.used = number;
        this.bootstrap = new Leg(bootstrapLink);
        legs.add(bootstrap);
        Leg first = leg(link);
        first.use(number, path == null ? link.transport() : path);
        home = first;
        target = first;
        ours = first;
        theirs = number;
    }

    /** The links may be used from now on. */
    void begin() {
        for (Leg leg : legs) {
            keep(leg);
            leg.link.handler(isHome(leg) ? session : leg);
        }
        if (choice != null) {
            choice.begin(this);
        }
    }

    /** What goes over it may have to go again. */
    private void keep(Leg leg) {
        if (choice != null && !choice.stays()) {
            leg.link.retain(session.resumeBytes());
        }
    }

    /**
     * The peer's session may have begun with a link that was lost before ours could: what it has sent there goes again.
     */
    void beginsAgain() {
        sayResume(home);
        settle();
    }

    @SuppressWarnings("ReferenceEquality") // Legs and links are compared as what they are.
    private boolean isHome(Leg leg) {
        return leg == home;
    }

    @SuppressWarnings("ReferenceEquality")
    private Leg leg(Link link) {
        if (link == bootstrap.link) {
            return bootstrap;
        }
        Leg leg = new Leg(link);
        legs.add(leg);
        return leg;
    }

    private @Nullable Leg leg(int number) {
        for (Leg leg : legs) {
            if (leg.number == number) {
                return leg;
            }
        }
        return null;
    }

    // What the session asks.

    /** Frames that were about links, of which the session does not know. */
    long heard() {
        return heard;
    }

    /** Whether the session may send now; if it may not, {@link Session#goOn()} follows. */
    boolean clear() {
        return ours != null && next == null && !resumeAwaited && replay.isEmpty();
    }

    /** Whether nothing is about to change. */
    boolean settled() {
        Leg there = target;
        return clear() && !resumeWanted && there != null && there.equals(ours) && theirs == there.number;
    }

    /** Whether the other side can lose the link over which our frames go while we take it for open. */
    boolean mayBeLostUnseen() {
        return choice != null && !choice.stays() && !bootstrap.equals(ours);
    }

    /** Whether something waits for a path. */
    boolean suspended() {
        return ours == null || resumeWanted;
    }

    /** The path that was agreed on last; null while there is none. */
    @Nullable
    String path() {
        return target == null ? null : target.path;
    }

    /** Loses every link but the bootstrap connection. Returns why it can't. */
    @Nullable
    WeirException cut() {
        List<Leg> others = new ArrayList<>(legs);
        others.remove(bootstrap);
        if (others.isEmpty()) {
            return new Refused("the connection to " + session.peerId() + " goes over its bootstrap connection");
        }
        for (Leg leg : others) {
            lost(leg, new SessionLost("it was cut on purpose"), true);
        }
        return null;
    }

    void moveTo(String wanted, Promise<PathDecision> promise) {
        if (choice == null) {
            promise.error(new Refused("this connection has one path only"));
        } else {
            choice.wish(wanted, promise);
        }
    }

    void reorder(PathPolicy order, Promise<PathDecision> promise) {
        if (choice == null) {
            promise.error(new Refused("this connection has one path only"));
        } else {
            choice.reorder(order, promise);
        }
    }

    void deviceChanged(String path) {
        if (choice != null) {
            choice.deviceChanged(path);
        }
    }

    Loop loop() {
        return loop;
    }

    /** A link has room: what is due goes first. */
    void writable() {
        if (!busy) {
            return;
        }
        for (Leg leg : List.copyOf(legs)) {
            leg.flush();
        }
        settle();
    }

    /** Says goodbye behind everything that was sent, or over the bootstrap connection where nothing can be sent. */
    boolean goodbye(Frame goodbye) {
        if (ours == null && away != null) {
            return false;
        }
        return (ours == null ? bootstrap : ours).link.offer(goodbye);
    }

    /** Ends everything in good order. */
    void close() {
        end(Link::close);
    }

    /**
     * Ends everything for a peer that has gone, or has to go: it may keep its sockets open, and only a few of ours wait
     * for it.
     */
    void dismiss() {
        end(Link::dismiss);
    }

    private void end(Consumer<Link> each) {
        end();
        for (Leg leg : List.copyOf(legs)) {
            each.accept(leg.link);
        }
        legs.clear();
    }

    /** Nothing is agreed any more; the links stay open. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        limit.dispose();
        leaving.dispose();
        draining.dispose();
        patience.dispose();
        Redial dialling = redial;
        redial = null;
        if (dialling != null) {
            dialling.end();
        }
        if (choice != null) {
            choice.end();
        }
        PathAttempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
        legs.forEach(Leg::forget);
        releaseAll(kept);
        releaseAll(replay);
    }

    private static void releaseAll(ArrayDeque<KeptFrame> frames) {
        for (KeptFrame each; (each = frames.poll()) != null; ) {
            each.release();
        }
    }

    // What comes over the links and is about them.

    /** A frame that is none of the session's own. Its body stays the caller's. */
    void frame(Frame in) {
        heard++;
        if (choice == null) {
            throw outOfPlace(in);
        }
        PathAttempt current = attempt;
        switch (in.kind()) {
            case PROPOSE -> {
                if (in.aux() == WISH && choice.leads()) {
                    choice.told(in);
                } else {
                    proposed(choice, in.aux(), HandshakeCodec.readReason(in.body()));
                }
            }
            case OFFER, OPENED, FAILED, PROBE, PROBED, USE -> {
                if (current != null && current.number() == in.aux()) {
                    current.frame(in);
                } else if (in.kind() == FrameKind.PROBE && in.aux() == 0 && in.second() == Handshake.LAST && !leads()) {
                    // Our USE came too late for it, and every other path has failed as well.
                    session.over(new SessionLost("it has given up the handshake, as no path could be opened in time"));
                } else if (in.aux() == WISH && choice.awaitsAnswer() && mayBeLate(in.kind())) {
                    choice.answered(in.kind() == FrameKind.OPENED ? null : HandshakeCodec.readReason(in.body()));
                } else if (in.aux() == 0 || in.aux() > attempts || (in.aux() == used && !mayBeLate(in.kind()))) {
                    throw outOfPlace(in);
                } else if (in.kind() == FrameKind.FAILED && in.aux() == used) {
                    givenUpThere();
                }
            }
            case MOVE -> move(in.aux(), in.first());
            case MOVED -> moved(in.aux());
            case RESUME -> resume(in.aux(), in.first());
            case LOST -> lostThere(in.aux(), in.first(), in.has(Flags.ANSWERED), HandshakeCodec.readReason(in.body()));
            default -> throw outOfPlace(in);
        }
    }

    /** What comes over the bootstrap connection when the new link has been used already. */
    private static boolean mayBeLate(FrameKind kind) {
        return kind == FrameKind.OPENED || kind == FrameKind.FAILED;
    }

    private static ProtocolMismatch outOfPlace(Frame in) {
        return new ProtocolMismatch(in.kind() + " has no place in an open session");
    }

    private void proposed(PathChoice deciding, int number, String path) {
        if (deciding.leads() || number <= attempts) {
            throw new ProtocolMismatch("PROPOSE has no place here");
        }
        PathAttempt former = attempt;
        if (former != null) {
            former.fail("another path was proposed", false);
        }
        attempts = number;
        String refusal = deciding.refusal(path);
        if (refusal == null && next != null) {
            refusal = "the last move has not ended yet";
        }
        if (refusal == null && !proposals.take()) {
            refusal = "more than " + ProposalRate.MOST + " paths were proposed in a second";
        }
        if (refusal != null) {
            send(FrameKind.FAILED, number, HandshakeCodec.text(refusal));
            return;
        }
        begin(deciding, path, number);
    }

    /** Proposes this path to the peer, and tries it. */
    void propose(PathChoice deciding, String path) {
        attempts++;
        send(FrameKind.PROPOSE, attempts, HandshakeCodec.text(path));
        begin(deciding, path, attempts);
    }

    /**
     * What is tried is given up, as everything stands still and this path is there; not if the other side has only to
     * agree.
     */
    void giveUpFor(String path) {
        PathAttempt current = attempt;
        if (current != null && !current.path().equals(path) && !current.isDecided()) {
            current.fail("the session stands still, and goes on over " + path + " meanwhile", true);
        }
    }

    /** Sends the leading side what this one wants, or has to report about its devices. */
    void tellLeader(int flags, String text) {
        bootstrap.say(KeptFrame.of(FrameKind.PROPOSE, flags, WISH, 0, HandshakeCodec.text(text)));
    }

    boolean trying() {
        return attempt != null;
    }

    private void begin(PathChoice deciding, String path, int number) {
        if (ended) {
            return;
        }
        PathAttempt begun = deciding.attempt(this, loop, path, number);
        attempt = begun;
        begun.prepare();
    }

    @Override
    public Link bootstrap() {
        return bootstrap.link;
    }

    @Override
    public PeerCard card() {
        return Objects.requireNonNull(choice).card();
    }

    @Override
    public TlsSpec tls() {
        return Objects.requireNonNull(choice).tls();
    }

    @Override
    public String name() {
        return session.peerId().toString();
    }

    @Override
    public void send(FrameKind kind, int number, ByteBuf body) {
        bootstrap.say(KeptFrame.of(kind, number, 0, body));
    }

    @Override
    public void failed(PathAttempt given, String reason) {
        attempt = null;
        if (!ended) {
            Objects.requireNonNull(choice).failed(given, reason);
        }
    }

    @Override
    public boolean goesOn() {
        return true;
    }

    @Override
    public void opened(PathAttempt won, Link link) {
        attempt = null;
        used = won.number();
        Leg leg = leg(link);
        if (!leg.equals(bootstrap)) {
            keep(leg);
        }
        boolean comesOverIt = theirs == leg.number;
        leg.use(won.number(), won.path());
        if (comesOverIt) {
            theirs = leg.number;
        }
        target = leg;
        link.handler(isHome(leg) ? session : leg);
        if (resumeWanted) {
            sayResume(leg);
        } else if (earlyMove == leg.number) {
            theirs = leg.number;
            leg.say(KeptFrame.of(FrameKind.MOVED, leg.number, 0));
        }
        Leg current = ours;
        if (current == null) {
            ours = leg;
            resumeAwaited = true;
            session.sendOver(leg.link);
        } else if (!current.equals(leg)) {
            next = leg;
            session.hold();
            moveDue = true;
        }
        // Users learn of it, and may cut it at once.
        Objects.requireNonNull(choice).chosen(won);
        settle();
    }

    private void sayResume(Leg over) {
        resumeWanted = false;
        theirs = over.number;
        resumedOver = over.number;
        over.say(KeptFrame.of(FrameKind.RESUME, over.number, session.received()));
    }

    private void move(int number, long sent) {
        if (sent != session.received()) {
            throw new ProtocolMismatch("MOVE after " + session.received() + " frames, where " + sent + " were sent");
        }
        Leg there = target;
        if (there != null && there.number == number && theirs != number) {
            theirs = number;
            there.say(KeptFrame.of(FrameKind.MOVED, number, 0));
            settle();
        } else {
            // The USE of this attempt comes over another link, or the attempt has failed here: then the peer goes on as
            // before.
            earlyMove = number;
        }
    }

    private void moved(int number) {
        Leg going = next;
        if (going != null && going.number == number) {
            ours = going;
            next = null;
            session.sendOver(going.link);
            settle();
        } else if (resumeAwaited && ours != null && ours.number == number) {
            releaseAll(kept);
            resumeAwaited = false;
            settle();
        }
    }

    private void resume(int number, long received) {
        Leg going = next;
        if (going != null && going.number == number) {
            // The peer has noticed before us that the former link is lost.
            lost(Objects.requireNonNull(ours), new SessionLost("the peer has lost it"), true);
        }
        Leg over = ours;
        if (ended || over == null || over.number != number || !resumeAwaited) {
            // Late, or from a peer that could not know whether we wait for it.
            return;
        }
        long missing = session.sent() - received;
        if (received < 0 || missing < 0) {
            throw new ProtocolMismatch("RESUME after " + received + " frames, where " + session.sent() + " were sent");
        }
        if (missing > kept.size()) {
            session.abandon(new SessionLost("the link to " + session.peerId() + " was lost with " + missing
                    + " frames under way, of which only " + kept.size() + " can be sent again"));
            return;
        }
        while (kept.size() > missing) {
            kept.remove().release();
        }
        session.sendAgainFrom(received);
        for (KeptFrame each; (each = kept.poll()) != null; ) {
            each.cutFor(over.link, replay);
        }
        resumeAwaited = false;
        settle();
    }

    // What happens to the links.

    /** The link that has the session as its handler is lost. */
    void lost(WeirException reason) {
        lost(home, reason, false);
    }

    private void lost(Leg leg, WeirException reason, boolean openHere) {
        if (ended) {
            return;
        }
        if (leg.equals(bootstrap)) {
            bootstrapLost(reason, openHere);
            return;
        }
        if (!legs.contains(leg)) {
            return;
        }
        boolean matters = leg.equals(ours) || leg.equals(next) || leg.equals(target) || theirs == leg.number;
        boolean fatal = bootstrapLost
                || choice == null
                || choice.stays()
                || session.isDoomed()
                || reason instanceof ProtocolMismatch;
        if (matters && fatal) {
            session.over(reason);
            return;
        }
        legs.remove(leg);
        // The peer may close what we have left by MOVE before we receive MOVED: how much it has, it says over the other
        // link.
        boolean keptAll = !leg.equals(ours) || takeBack(leg) || next != null;
        if (openHere) {
            leg.link.close();
        }
        leg.forget();
        if (!keptAll) {
            session.over(reason);
            return;
        }
        if (!matters) {
            return;
        }
        if (leg.equals(ours)) {
            session.hold();
            ours = next;
            next = null;
            resumeAwaited = ours != null;
            if (ours != null) {
                session.sendOver(ours.link);
            }
        } else if (leg.equals(next)) {
            next = null;
        }
        boolean wasTarget = leg.equals(target);
        if (wasTarget) {
            target = ours;
        }
        if (isHome(leg)) {
            home = bootstrap;
            if (away == null) {
                bootstrap.link.handler(session);
            }
        }
        if (away == null) {
            sayLost(leg.number, 0, Errors.text(reason));
        } else {
            // Both sides begin again when they have a bootstrap connection.
            awaitBoth();
        }
        if (!ended) {
            Objects.requireNonNull(choice).lost(leg.path, Errors.text(reason), wasTarget);
            settle();
        }
    }

    private void bootstrapLost(WeirException reason, boolean openHere) {
        if (choice == null
                || choice.stays()
                || choice.nodeCloses()
                || isTunnel()
                || reason instanceof ProtocolMismatch) {
            bootstrapLost = true;
            if (isHome(bootstrap) || suspended()) {
                session.over(reason);
            } else {
                draining = loop.schedule(() -> session.over(reason), DRAIN);
            }
            return;
        }
        goesAway(choice, reason, openHere);
        PeerAddress address = choice.address();
        if (address != null) {
            dial(address, choice.tls());
        }
    }

    // The bootstrap connection is replaced.

    /** By which both sides know the session. */
    long number() {
        return number;
    }

    PeerId peerId() {
        return session.peerId();
    }

    /** Whether who connects anew has proved as much as before. Its name and host are claims. */
    boolean isStill(Identity identity) {
        Identity before = session.peer().identity();
        return before.knowsSecret() == identity.knowsSecret()
                && Objects.equals(before.principal(), identity.principal());
    }

    /** Runs the task on the session's loop: now if the caller is on it. */
    void execute(Runnable task) {
        session.execute(task);
    }

    /** Whether there is a bootstrap connection, so that something can be agreed. */
    boolean reachable() {
        return away == null;
    }

    /** Whether it waits for the peer to connect anew: who closes does not wait for that. */
    boolean forsaken() {
        return away != null && redial == null && ours == null;
    }

    /** Whether both know it under this number, and this is the side that leads it or the other one. */
    boolean isNumbered(long wanted, boolean leading) {
        return choice != null && choice.leads() == leading && number == wanted;
    }

    boolean leads() {
        return choice != null && choice.leads();
    }

    /** Whether it can do with another bootstrap connection. */
    boolean mayBeRejoined() {
        return choice != null && !choice.stays() && !isTunnel();
    }

    /** Whether the bootstrap connection leads through gateways: then the session ends with it. */
    boolean isTunnel() {
        return bootstrap.link instanceof TunnelLink;
    }

    /** How many tunnels lie in each other below the bootstrap connection. */
    int tunnelDepth() {
        return bootstrap.link instanceof TunnelLink tunnel ? tunnel.depth() : 0;
    }

    /**
     * The attempt over whose link both directions go, as far as we know, so that they need no bootstrap connection; 0
     * if there is none.
     */
    int settledNumber() {
        Leg there = target;
        return settled() && there != null && !there.equals(bootstrap) ? there.number : 0;
    }

    private void goesAway(PathChoice deciding, WeirException reason, boolean openHere) {
        PathAttempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
        boolean goesOn = settledNumber() != 0;
        away = reason;
        awaySince = System.nanoTime();
        legs.remove(bootstrap);
        boolean keptAll = goesOn || dropAll();
        bootstrap.forget();
        if (openHere) {
            bootstrap.link.close();
        }
        if (!keptAll) {
            session.over(reason);
            return;
        }
        session.ports()
                .sessionLog()
                .info("The bootstrap connection to " + session.peerId() + " was lost"
                        + (goesOn ? ", the session goes on over " + path() : "") + ": " + Errors.text(reason));
        boolean unreachable = reason instanceof PeerUnavailable;
        overdue = false;
        isAlive = false;
        patience = loop.schedule(
                () -> awayTooLong(reason), unreachable ? session.resumeTimeout() : session.rejoinTimeout());
        deciding.interrupted("the bootstrap connection was lost: " + Errors.text(reason));
        if (!ended) {
            settle();
        }
    }

    /** The peer can be reached there. */
    void dial(PeerAddress address, TlsSpec tls) {
        if (!ended && away != null && redial == null) {
            Redial begun = Objects.requireNonNull(choice).redial(this, address, tls);
            redial = begun;
            begun.begin();
        }
    }

    /** Loses every link. What may not have arrived waits; returns whether that is known. */
    private boolean dropAll() {
        boolean known = true;
        Leg going = ours;
        if (going != null) {
            session.hold();
            known = takeBack(going);
        }
        for (Leg leg : List.copyOf(legs)) {
            if (!leg.equals(bootstrap)) {
                legs.remove(leg);
                leg.forget();
                leg.link.close();
            }
        }
        if (!legs.contains(home)) {
            home = bootstrap;
        }
        awaitBoth();
        return known;
    }

    /** Neither direction has a link. */
    private void awaitBoth() {
        ours = null;
        next = null;
        target = null;
        resumeAwaited = false;
        resumeWanted = true;
        theirs = NOWHERE;
        earlyMove = 0;
    }

    /** It has been heard of since, so it is not dead, and what it takes to meet it again may last. */
    void peerLives() {
        WeirException reason = away;
        if (!ended && reason != null && !isAlive) {
            isAlive = true;
            overdue = false;
            patience.dispose();
            patience = loop.schedule(() -> awayTooLong(reason), session.resumeTimeout());
        }
    }

    /** What has just woken us may be what was awaited: it is read before tasks are run. */
    @SuppressWarnings("ReferenceEquality") // Which absence it is.
    private void awayTooLong(WeirException reason) {
        loop.execute(() -> {
            if (reason == away) {
                overdue = true;
                stillAway();
            }
        });
    }

    /** Whoever dials has failed once more, or the time is over. */
    void stillAway() {
        WeirException reason = away;
        Redial dialling = redial;
        if (!ended && reason != null && overdue && (dialling == null || dialling.isInVain())) {
            String last = dialling == null ? "" : dialling.lastFailure();
            session.over(last.isEmpty() ? reason : new SessionLost(Errors.text(reason) + "; then " + last, reason));
        }
    }

    /** The peer can't go on with this session. */
    void cantRejoin(WeirException reason) {
        redial = null;
        if (ended) {
            return;
        }
        if (suspended()) {
            session.over(reason);
        } else {
            // Its goodbye may have come already, over another link.
            draining = loop.schedule(() -> session.over(reason), DRAIN);
        }
    }

    /** The peer agrees to go on over this connection, which we have dialled. */
    void rejoined(Link link, int said, int theirSettled) {
        if (said == settledNumber()) {
            redial = null;
            comesBack(link, said != 0 && said == theirSettled);
        } else {
            // Lost since then, of which the peer can't know.
            link.close();
            Objects.requireNonNull(redial).begin();
        }
    }

    /**
     * The peer, who has dialled, wants to go on over this connection. When both dial at once, that of the side that
     * leads is kept.
     *
     * @return whether it is taken
     */
    boolean rejoin(Link link, int theirSettled) {
        PathChoice deciding = Objects.requireNonNull(choice);
        Redial dialling = redial;
        if (dialling != null && dialling.isAnswered() && deciding.leads()) {
            return false;
        }
        redial = null;
        if (dialling != null) {
            dialling.end();
        }
        if (away == null) {
            goesAway(deciding, new PeerUnavailable("the peer has lost it"), true);
        }
        int said = settledNumber();
        Frame answer = new Frame().set(FrameKind.REJOIN, 0, 0, said).words(number, 0);
        if (!ended && link.offer(answer)) {
            comesBack(link, said != 0 && said == theirSettled);
        } else {
            // It has room for more than what was said so far, unless it is lost.
            link.close();
            PeerAddress address = deciding.address();
            if (address != null) {
                dial(address, deciding.tls());
            }
        }
        return true;
    }

    private void comesBack(Link link, boolean goesOn) {
        boolean keptAll = goesOn || dropAll();
        patience.dispose();
        overdue = false;
        boolean homeless = isHome(bootstrap);
        bootstrap = new Leg(link);
        legs.add(bootstrap);
        keep(bootstrap);
        away = null;
        if (homeless) {
            home = bootstrap;
        }
        link.handler(homeless ? session : bootstrap);
        session.ports()
                .sessionLog()
                .info("The bootstrap connection to " + session.peerId() + " is back after "
                        + (System.nanoTime() - awaySince) / 1_000_000 + " ms, the session "
                        + (goesOn ? "goes on over " + path() : "begins again where it was interrupted"));
        if (!keptAll) {
            session.abandon(
                    new SessionLost("a link to " + session.peerId() + " was lost, and what was under way with it"));
            return;
        }
        Objects.requireNonNull(choice).reachable();
        settle();
    }

    /**
     * The peer had given up the last attempt when our USE came. Another link than the bootstrap connection is closed
     * there, which we shall hear; that one just goes back to what it was. Nothing of the session has gone over it
     * since.
     */
    private void givenUpThere() {
        if (bootstrap.number != used || !bootstrap.equals(target)) {
            return;
        }
        if (bootstrap.equals(next)) {
            next = null;
        } else if (bootstrap.equals(ours) && resumeAwaited) {
            ours = null;
            resumeAwaited = false;
        }
        bootstrap.number = bootstrap.formerNumber;
        if (theirs == used) {
            resumeWanted = resumedOver == used;
            theirs = resumeWanted ? NOWHERE : bootstrap.number;
        }
        target = ours;
        Objects.requireNonNull(choice).lost(bootstrap.path, "the peer had given it up", true);
        settle();
    }

    /**
     * What this link may not have delivered waits from now on, before what has to go once more anyway. While we wait
     * for RESUME over it, nothing has been offered to it that counts, but for what it has brought over before it was
     * our link again.
     */
    private boolean takeBack(Leg leg) {
        boolean known = leg.link.handBack(frame -> {
            KeptFrame back = KeptFrame.of(frame);
            if (back.counts() && !resumeAwaited) {
                kept.add(back);
            } else {
                back.release();
            }
        });
        // They are behind what was sent, and count as if they were.
        session.notSentAgain(replay.size());
        kept.addAll(replay);
        replay.clear();
        // Who has sent nothing has lost nothing, also over a link that gives nothing back.
        return known || resumeAwaited || session.sent() == 0;
    }

    /** Informs the peer, and says over which link our frames go now. */
    private void sayLost(int number, int flags, String reason) {
        int going = ours == null || resumeAwaited ? 0 : ours.equals(bootstrap) ? OVER_BOOTSTRAP : ours.number;
        bootstrap.say(KeptFrame.of(FrameKind.LOST, flags, number, going, HandshakeCodec.text(reason)));
    }

    private void lostThere(int number, long goesOver, boolean answer, String reason) {
        Leg leg = number == 0 ? null : leg(number);
        if (leg != null && !leg.equals(bootstrap)) {
            lost(leg, new SessionLost("at " + DecisionText.harmless(name()) + ": " + reason), true);
        } else if (!answer) {
            // It was lost here before, or was given up when the peer had already taken it for good.
            sayLost(number, Flags.ANSWERED, "");
        }
        if (ended || theirs != number) {
            return;
        }
        Leg back = goesOver == OVER_BOOTSTRAP ? bootstrap : goesOver == 0 ? null : leg((int) goesOver);
        if (back != null) {
            theirs = back.number;
        } else if (target != null && target.number > number) {
            sayResume(target);
        } else {
            resumeWanted = true;
            Objects.requireNonNull(choice).needed();
        }
        settle();
    }

    private void settle() {
        if (ended) {
            return;
        }
        Leg over = ours;
        while (over != null && !resumeAwaited && !replay.isEmpty() && over.due.isEmpty()) {
            KeptFrame first = replay.element();
            if (!session.sendAgain(first)) {
                break;
            }
            replay.remove();
        }
        Leg going = next;
        if (moveDue && over != null && going != null && !resumeAwaited && replay.isEmpty()) {
            moveDue = false;
            over.say(KeptFrame.of(FrameKind.MOVE, going.number, session.sent()));
        }
        for (Leg leg : List.copyOf(legs)) {
            if (leg.number == theirs && !isHome(leg)) {
                Leg former = home;
                home = leg;
                former.link.handler(former);
                leg.link.handler(session);
            }
        }
        retire();
        boolean quiet = settled();
        busy = !quiet || legs.stream().anyMatch(leg -> !leg.due.isEmpty());
        if (next == null) {
            leaving.dispose();
        } else if (leaving.isDisposed()) {
            leaving = loop.schedule(this::stillLeaving, session.moveTimeout());
        }
        if (quiet) {
            limit.dispose();
        } else if (limit.isDisposed()) {
            limit = loop.schedule(this::tooLate, session.resumeTimeout());
        }
        if (clear() && over != null && over.due.isEmpty()) {
            session.goOn();
        }
        if (quiet && choice != null) {
            choice.settled();
        }
    }

    /**
     * Nothing may get through any more over a link that does not break, as over a port that is down: what it has not
     * delivered goes again.
     */
    private void stillLeaving() {
        Leg going = next;
        loop.execute(() -> {
            Leg left = ours;
            if (!ended && going != null && going.equals(next) && left != null) {
                // The bootstrap connection has limits of its own: there it is the new link that does not deliver.
                lost(
                        left.equals(bootstrap) ? going : left,
                        new SessionLost("what has to arrive before " + going.path + " is used did not come within "
                                + SettingText.of(session.moveTimeout()) + " (weir.timeout.step)"),
                        true);
            }
        });
    }

    /** What has just woken us may be what was awaited: it is read before tasks are run. */
    private void tooLate() {
        loop.execute(() -> {
            if (!ended && !settled()) {
                giveUp();
            }
        });
    }

    private void giveUp() {
        session.abandon(new SessionLost("the connection to " + session.peerId()
                + " has lost its path, and did not go on" + " over another one within "
                + SettingText.of(session.resumeTimeout()) + " (weir.timeout.resume)"));
    }

    /** Closes what nobody sends over any more. */
    private void retire() {
        for (Leg leg : List.copyOf(legs)) {
            boolean used = leg.equals(bootstrap)
                    || leg.equals(ours)
                    || leg.equals(next)
                    || leg.equals(target)
                    || theirs == leg.number;
            if (!used && leg.due.isEmpty()) {
                legs.remove(leg);
                leg.link.close();
            }
        }
    }

    /** One link, and what has to be said over it as soon as it has room. */
    private final class Leg implements LinkHandler {

        final Link link;
        int number;
        int formerNumber;
        String path = "";
        final ArrayDeque<KeptFrame> due = new ArrayDeque<>(0);
        private final Frame holder = new Frame();

        Leg(Link link) {
            this.link = link;
        }

        void use(int attempt, String name) {
            formerNumber = number;
            number = attempt;
            path = name;
        }

        void say(KeptFrame frame) {
            if (ended || (away != null && equals(bootstrap))) {
                frame.release();
                return;
            }
            due.add(frame);
            flush();
            busy |= !due.isEmpty();
            if (due.size() > MOST_DUE) {
                session.abandon(new SessionLost(session.peerId() + " does not read what is to be agreed with it"));
            }
        }

        void flush() {
            for (KeptFrame first; (first = due.peek()) != null && link.offer(first.into(holder)); ) {
                due.remove();
            }
            holder.clear();
        }

        void forget() {
            releaseAll(due);
        }

        @Override
        public void frame(Frame in) {
            session.frame(in);
        }

        @Override
        public void writable() {
            session.writable();
        }

        @Override
        public void lost(WeirException reason) {
            Links.this.lost(this, reason, false);
        }
    }
}
