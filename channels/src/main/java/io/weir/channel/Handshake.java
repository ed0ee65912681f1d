package io.weir.channel;

import io.netty.buffer.ByteBuf;
import io.weir.config.PathPolicy;
import io.weir.config.Repath;
import io.weir.config.Requirement;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Ends;
import io.weir.core.ForeignText;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.Overloaded;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.SettingText;
import io.weir.core.TimedOut;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import io.weir.path.Admission;
import io.weir.path.Candidates;
import io.weir.path.Contact;
import io.weir.path.DecisionRecorder;
import io.weir.path.Dialled;
import io.weir.path.Errors;
import io.weir.path.Flags;
import io.weir.path.FollowingChoice;
import io.weir.path.HandshakeCodec;
import io.weir.path.HandshakeCodec.Introduction;
import io.weir.path.KeptFrame;
import io.weir.path.LastingLink;
import io.weir.path.PathAttempt;
import io.weir.path.PathChoice;
import io.weir.path.PathSelector;
import io.weir.path.TunnelPath;
import io.weir.path.TunnelledLink;
import io.weir.peer.Arrival;
import io.weir.peer.Identity;
import io.weir.peer.PathDecision;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How two nodes agree on a path over their bootstrap connection. Both sides run the same class; only the connecting
 * side chooses:
 *
 * <pre>
 *   HELLO and PROOF of both (see Admission); CARD both, then for each candidate:
 *   PROPOSE, OFFER both, OPENED both (or FAILED from either: next candidate),
 *   PROBE and PROBED over the new link, several times; USE over the new link, and USE back: the session begins
 * </pre>
 *
 * The accepting side's USE makes sure that it has not preferred another connection meanwhile (see {@link Peers}).
 *
 * Where the order is measured, the connecting side says FAILED instead of USE first, after the last PROBED, candidate
 * by candidate; then it tries them in the order in which they have answered (see {@link Candidates}).
 *
 * Each candidate is a {@link PathAttempt}. Loop thread only.
 */
final class Handshake implements LinkHandler, PathAttempt.Owner, Admission.Owner, Doorkeeper.Guest {

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Round trips measured over the bootstrap connection when another path is to be tried. */
    private static final int MEASURES = 4;

    /** Nobody has so many devices, and operators, in one round trip. */
    private static final int MOST_EARLY = 64;

    /** Each path twice, if all are measured first: there are a dozen. Each proposal makes what the path needs. */
    static final int MOST_PROPOSALS = 64;

    /**
     * Far more than anybody measures with. Each is answered, and whoever does not read would have us gather answers.
     */
    private static final int MOST_PROBES = 64;

    /** Who awaits the outcome of a handshake. */
    interface Outcome {
        void connected(Peer peer);

        void failed(WeirException reason);
    }

    private final Node node;
    private final Loop loop;
    private final Link bootstrap;
    /** The bootstrap connection if it leads through gateways, else null. */
    private final @Nullable TunnelledLink tunnel;

    /** The path that the bootstrap connection is. */
    private final String ofBootstrap;

    private final boolean connecting;
    private final PathPolicy policy;
    /** Whom we have connected to; null on the accepting side. */
    private final @Nullable PeerAddress address;

    private final TlsSpec tls;
    private final Origin origin;
    private final Outcome outcome;
    /** Our half of the number that the session will have. */
    private final long half = RANDOM.nextLong();

    private final Admission admission;
    private final Frame out = new Frame();
    private DecisionRecorder recorder = new DecisionRecorder();

    /** Null until it is admitted. */
    private @Nullable PeerId peerId;

    private @Nullable Identity identity;
    private @Nullable Contact contact;
    private @Nullable PeerCard card;
    /** Both halves. */
    private long sessionNumber;
    /** Only on the connecting side. */
    private @Nullable Candidates candidates;

    private @Nullable PathAttempt attempt;
    /** The last one, whatever has become of it. */
    private @Nullable PathAttempt begun;

    private int attempts;
    /** How often the other side has proposed something. */
    private int proposals;
    /** How often it has measured the bootstrap connection. */
    private int probes;
    /** What the other side has said to the session that begins. */
    private final ArrayDeque<KeptFrame> early = new ArrayDeque<>(0);
    /** Of which we have said USE. */
    private int attemptsUsed;

    /**
     * No candidate is left; said when the other side has not given way to another connection, which would explain it.
     */
    private @Nullable PathRequired exhausted;

    private int measured;
    private long measureSent;
    private long fastest = Long.MAX_VALUE;
    private Disposable deadline = Disposables.disposed();
    /** Until it begins over TCP although another path might still open. */
    private Disposable headStart = Disposables.disposed();

    private boolean done;

    // Of the peers, under their lock.

    /** Another connection with the same peer is kept instead. */
    boolean crossed;
    /** This one is kept instead of others. */
    boolean claimed;

    Handshake(
            Node node,
            Loop loop,
            Link bootstrap,
            PathPolicy policy,
            @Nullable PeerAddress address,
            TlsSpec tls,
            Requirement required,
            Outcome outcome) {
        this.node = node;
        this.loop = loop;
        this.bootstrap = bootstrap;
        this.tunnel = bootstrap instanceof TunnelledLink through ? through : null;
        this.ofBootstrap = tunnel == null ? PathSelector.BOOTSTRAP_PATH : TunnelledLink.PATH;
        this.connecting = address != null;
        this.policy = policy;
        this.address = address;
        this.tls = tls;
        this.origin = Origin.of(bootstrap);
        this.outcome = outcome;
        this.admission = new Admission(
                node.spec().security(),
                required,
                node.id(),
                node.localPaths().key(),
                connecting,
                false,
                address == null ? Dialled.NOTHING : node.localPaths().dialled(address, bootstrap),
                bootstrap.protection(),
                node.localPaths().elsewhere(),
                this);
    }

    void start() {
        Duration limit = node.spec().timeouts().handshake();
        deadline = loop.schedule(
                () -> fail(new TimedOut("the handshake with " + name() + " did not end within " + limit.toMillis()
                        + " ms (weir.timeout.handshake)")),
                limit);
        bootstrap.handler(this);
        admission.begin();
    }

    boolean connecting() {
        return connecting;
    }

    /** By which both sides know the session that begins. */
    long sessionNumber() {
        return sessionNumber;
    }

    @Nullable
    PeerId peerId() {
        return peerId;
    }

    /** What is known of whether it is with the same peer as another. Not before it is admitted. */
    Contact contact() {
        return Objects.requireNonNull(contact);
    }

    /** What it has proved. Not before it is admitted. */
    Identity identity() {
        return Objects.requireNonNull(identity);
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Origin origin() {
        return origin;
    }

    @Override
    public Link bootstrap() {
        return bootstrap;
    }

    @Override
    public TlsSpec tls() {
        return tls;
    }

    @Override
    public PeerCard card() {
        return Objects.requireNonNull(card);
    }

    @Override
    public String name() {
        String where = (address == null ? "an incoming connection" + from() : address.toString())
                + (tunnel == null ? "" : ' ' + tunnel.route().toString());
        return peerId == null ? where : peerId + " at " + where;
    }

    /**
     * Records what has become of a connection that the other side has made. Called when everything else is done: a
     * process that has no descriptors left can't load what this needs, and gives the connection back nevertheless.
     */
    private void arrived(Arrival.Outcome how, String reason) {
        if (!connecting) {
            PeerId who = peerId == null ? admission.claimed() : peerId;
            node.arrivalLog().add(bootstrap, who, identity, how, reason);
        }
    }

    private String from() {
        Ends ends = bootstrap.ends();
        if (ends.far() != null) {
            return " from " + Dialled.figures(ends.far());
        }
        return ends.user() < 0 ? "" : " of uid " + ends.user();
    }

    /** Whom we speak with, also before it has proved who it is. */
    private String stranger() {
        PeerId claimed = admission.claimed();
        return peerId != null || claimed == null
                ? name()
                : name() + ", which says it is " + ForeignText.brief(claimed.toString());
    }

    @Override
    public void leave(Overloaded reason) {
        refuse(reason);
    }

    // What comes over the bootstrap connection, and over the new link where that is the same.

    @Override
    public void frame(Frame in) {
        try {
            receive(in);
        } catch (ProtocolMismatch | AuthenticationFailed | Refused | Overloaded e) {
            giveUp(e);
        } finally {
            in.body().release();
        }
    }

    @Override
    public void giveUp(WeirException e) {
        if (e instanceof ProtocolMismatch) {
            refuse(new ProtocolMismatch(name() + " broke the protocol in the handshake: " + e.getMessage(), e));
        } else if (e instanceof AuthenticationFailed) {
            refuse(new AuthenticationFailed(stranger() + ": " + e.getMessage(), e));
        } else if (e instanceof Refused) {
            refuse(new Refused(stranger() + ": " + e.getMessage(), e));
        } else {
            refuse(e);
        }
    }

    @Override
    public void later(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and the connection with it.
            admission.end();
        }
    }

    private void receive(Frame in) {
        if (done) {
            return;
        }
        if (rejoins() && in.kind() != FrameKind.REJOIN && in.kind() != FrameKind.REFUSE) {
            throw new ProtocolMismatch(in.kind() + " has no place where a session goes on");
        }
        if (peerId == null && in.kind() != FrameKind.REFUSE) {
            admission.frame(in);
            return;
        }
        PathAttempt current = attempt;
        PathAttempt named = current != null && current.number() == in.aux() ? current : null;
        switch (in.kind()) {
            case HELLO -> throw new ProtocolMismatch("a second HELLO");
            case REJOIN -> rejoin(in);
            case REFUSE -> refused(in);
            case CARD -> introduced(HandshakeCodec.readCard(Objects.requireNonNull(peerId), in.body()));
            case PROPOSE -> {
                if (in.aux() == LastingLink.WISH && connecting && attemptsUsed > 0) {
                    keepForSession(in);
                } else {
                    proposed(in.aux(), HandshakeCodec.readReason(in.body()));
                }
            }
            case OFFER, OPENED, FAILED -> {
                if (!connecting && in.kind() == FrameKind.FAILED && in.has(Flags.MEASURED)) {
                    measuredThere(in.aux());
                } else if (named != null) {
                    named.frame(in);
                }
            }
            case PROBE, PROBED, USE -> {
                if (in.aux() == 0 && in.kind() == FrameKind.PROBE) {
                    probed(in.second());
                } else if (in.aux() == 0 && in.kind() == FrameKind.PROBED) {
                    measured(in);
                } else if (named != null) {
                    named.frame(in);
                }
            }
            case LOST -> {
                // The other side's session has begun with a link that was lost before ours could.
            }
            default -> throw new ProtocolMismatch(in.kind() + " has no place in the handshake");
        }
    }

    private void probed(long round) {
        if (++probes > MOST_PROBES) {
            throw new ProtocolMismatch("more than " + MOST_PROBES + " PROBEs of the bootstrap connection");
        }
        send(out.set(FrameKind.PROBED, 0, 0, 0).words(0, round));
    }

    /** The other side's session has begun with our USE, and this came sooner than its own. */
    private void keepForSession(Frame in) {
        if (early.size() == MOST_EARLY) {
            throw new ProtocolMismatch("more than " + MOST_EARLY + " wishes before USE");
        }
        in.body().retain();
        early.add(KeptFrame.of(in));
    }

    @Override
    public void writable() {
        // A handshake sends a few hundred bytes; a connection that has no room for them is ended by the deadline.
    }

    @Override
    public void lost(WeirException reason) {
        if (reason instanceof ProtocolMismatch) {
            fail(reason);
        } else {
            // If no path was left, this may be why: another try may find the peer alive.
            String before = exhausted == null ? "" : "; before that: " + exhausted.getMessage();
            fail(new PeerUnavailable(
                    name() + " ended the connection in the handshake: " + reason.getMessage() + before, reason));
        }
    }

    @Override
    public void send(FrameKind kind, int number, ByteBuf body) {
        send(kind, 0, number, body);
    }

    private void send(FrameKind kind, int flags, int number, ByteBuf body) {
        send(out.set(kind, flags, 0, number).body(body));
    }

    private void send(Frame frame) {
        if (node.isKilled()) {
            frame.release();
        } else {
            Admission.send(bootstrap, frame);
        }
    }

    @Override
    public void say(FrameKind kind, ByteBuf body) {
        send(kind, 0, body);
    }

    @Override
    public void greeted(PeerId claimed) {
        if (!connecting) {
            node.doorkeeper().greeted(this);
        }
    }

    @Override
    public boolean isOurs(Dialled dialled) {
        return node.isOurs(dialled, bootstrap);
    }

    @Override
    public void admitted(PeerId peer, Identity its) {
        if (!connecting) {
            node.doorkeeper().admitted(this, node.peers().knows(peer.id()), its.proved());
        }
        peerId = peer;
        identity = its;
        if (rejoins()) {
            return;
        }
        contact = new Contact(
                peer,
                its,
                connecting && tunnel == null ? address : null,
                admission.isDirect() && !peer.id().equals(node.id().id()));
        if (goesOn(node.peers().begin(this))) {
            send(FrameKind.CARD, 0, HandshakeCodec.card(half, node.card(), policy.switches()));
        }
    }

    /** Whether it does; otherwise what has to be done was done. */
    private boolean goesOn(Peers.Verdict verdict) {
        switch (verdict) {
            case GO_ON -> {
                return true;
            }
            case FULL -> {
                String full = "there are " + node.spec().limits().peers() + " peers already (weir.max.peers)";
                refuse(connecting ? new Overloaded(full) : new Refused(name() + ": " + full));
            }
            case NO_MEMORY ->
                refuse(new Overloaded(
                        "there is no memory for another peer: what peers may have is used up (weir.memory.max)"));
            case CROSSED -> giveWay();
            case ATTACH -> {
                if (tunnel == null) {
                    node.peers().reachable(this, Objects.requireNonNull(address), tls);
                }
                crossed();
            }
        }
        return false;
    }

    /** Whether the connection is for a session that there is, and nothing is to be agreed but that it goes on. */
    private boolean rejoins() {
        return !connecting && peerId != null && admission.rejoins();
    }

    /** The other side wants its session to go on over this connection. */
    @SuppressWarnings("ReferenceEquality") // Loops are compared as what they are.
    private void rejoin(Frame in) {
        if (!rejoins()) {
            throw new ProtocolMismatch("REJOIN has no place here");
        }
        PeerId peer = Objects.requireNonNull(peerId);
        Session session = node.peers().find(peer, in.first(), !in.has(Flags.LEADS));
        if (session == null) {
            leave(Flags.ENDED, "this session has ended at " + node.id());
        } else if (tunnel != null) {
            leave(Flags.ENDED, "a session does not go on through gateways");
        } else if (!session.link().mayBeRejoined(identity(), admission.isDirect())) {
            // Whichever loop has it: a session must not live longer by what another one says who knows its number.
            leave(Flags.ENDED, "this session does not go on at " + node.id());
        } else if (session.loop() != loop) {
            node.acceptNextOn(session.loop());
            session.execute(session.link()::peerLives);
            leave(Flags.CROSSED, "the session belongs to another loop");
        } else if (session.link().rejoin(bootstrap, in.aux())) {
            over();
            arrived(Arrival.Outcome.RESUMED, "");
        } else {
            leave(Flags.CROSSED, "the connection that this side makes is kept");
        }
    }

    /** Nothing has failed, yet this connection is of no use: the other side has to know, and nobody else. */
    private void leave(int flags, String reason) {
        send(FrameKind.REFUSE, flags, 0, HandshakeCodec.text(reason));
        finishAndClose();
        arrived(flags == Flags.CROSSED ? Arrival.Outcome.SUPERSEDED : Arrival.Outcome.REFUSED, reason);
    }

    /**
     * Another connection with the same peer is kept instead of this one; the other side must not take it for a failure.
     */
    private void crossed() {
        send(FrameKind.REFUSE, Flags.CROSSED, 0, HandshakeCodec.text("another connection between us is kept"));
        attach();
    }

    /** Another connection with the same peer is kept; this one is left, whatever step it has reached. */
    void giveWay() {
        if (!done) {
            crossed();
        }
    }

    /** Leaves this connection and, on the connecting side, waits for the session that there is or will be. */
    private void attach() {
        if (done) {
            return;
        }
        finishAndClose();
        arrived(Arrival.Outcome.SUPERSEDED, "another connection between us is kept");
        if (connecting) {
            node.peers().await(this, node.spec().timeouts().handshake(), outcome);
        }
    }

    private void refused(Frame in) {
        if (in.has(Flags.CROSSED) && peerId != null) {
            attach();
            return;
        }
        fail(Admission.refusal(stranger(), in), Arrival.Outcome.GONE);
    }

    private void introduced(Introduction introduction) {
        if (card != null) {
            throw new ProtocolMismatch("a second CARD");
        }
        card = introduction.card();
        sessionNumber = half ^ introduction.half();
        if (connecting) {
            PeerCard theirs = introduction.card();
            Function<PathPolicy, PathSelector.Selection> select = any -> tunnel == null
                    ? PathSelector.select(any, node.card(), theirs, introduction.switches(), node.localPaths()::adapter)
                    : TunnelPath.select(
                            tunnel, any, node.card(), theirs, introduction.switches(), node.localPaths()::adapter);
            begin(new Candidates(select, policy, ofBootstrap));
        }
    }

    private void begin(Candidates ours) {
        candidates = ours;
        recorder = ours.recorder();
        String refusal = ours.refusal();
        if (refusal != null) {
            refuse(new PathRequired(refusal));
        } else if (ours.needSurvey()) {
            beginSurvey(ours);
        } else if (ours.hasOthersBeforeBootstrap()) {
            beginWithHeadStart(ours);
        } else {
            next(null);
        }
    }

    private void beginWithHeadStart(Candidates ours) {
        Duration ahead = node.spec().timeouts().headStart();
        boolean climbs = policy.repathOrDefault() == Repath.ALWAYS;
        if (climbs && ahead.isZero()) {
            ours.bootstrapFirst();
            next(null);
        } else {
            // What has just woken us may be what was awaited: it is read before tasks are run.
            headStart = climbs ? loop.schedule(() -> loop.execute(() -> beginNow(ours)), ahead) : headStart;
            measure();
        }
    }

    /** TCP is there: what stands before it is opened while the session goes over that. */
    private void beginNow(Candidates ours) {
        PathAttempt current = attempt;
        if (done || !ours.hasBootstrap()) {
            return;
        }
        ours.bootstrapFirst();
        // If USE is all that is awaited, it comes, or the step takes too long.
        if (current != null && !current.isDecided()) {
            current.fail(
                    "did not open within "
                            + SettingText.of(node.spec().timeouts().headStart())
                            + " (weir.timeout.head-start), and is tried again when the session has begun",
                    true);
        }
    }

    /** Sends a probe over the bootstrap connection: if that path is not chosen, one can see what was gained. */
    private void measure() {
        measured++;
        measureSent = System.nanoTime();
        send(out.set(FrameKind.PROBE, 0, 0, 0).words(0, measured));
    }

    private void measured(Frame in) {
        PathRequired refusal = exhausted;
        if (refusal != null && in.second() == HandshakeCodec.LAST) {
            // What each path has failed with, by what the other side has offered, is not for the other side.
            refuse(refusal, "no path could be opened; why is known there");
            return;
        }
        if (measured == 0 || in.second() != measured) {
            return;
        }
        fastest = Math.min(fastest, System.nanoTime() - measureSent);
        if (measured < MEASURES) {
            measure();
        } else {
            measured = 0;
            recorder.measured(ofBootstrap, Duration.ofNanos(fastest));
            next(null);
        }
    }

    private void beginSurvey(Candidates ours) {
        // What is left of the time is for the path that is used.
        Duration most = node.spec().timeouts().handshake().dividedBy(2);
        ours.beginSurvey(loop.schedule(() -> surveyIsLate(ours, most), most));
        next(null);
    }

    private void surveyIsLate(Candidates ours, Duration most) {
        ours.endSurvey();
        PathAttempt current = attempt;
        if (current != null) {
            current.fail("was not measured within " + most.toMillis() + " ms, half of weir.timeout.handshake", true);
        }
    }

    /** This path works: now the next one is measured. */
    private void surveyed(Candidates ours, PathAttempt probed) {
        ours.surveyed(probed);
        send(FrameKind.FAILED, Flags.MEASURED, probed.number(), HandshakeCodec.text("it was opened to be measured"));
        probed.release();
        attempt = null;
        next(null);
    }

    /**
     * The other side wanted to measure this path. Its end of the link may have closed before it said so, which is no
     * failure.
     */
    private void measuredThere(int number) {
        PathAttempt probed = begun;
        if (probed != null && probed.number() == number) {
            probed.release();
            attempt = null;
            recorder.surveyed(probed.path(), null, probed.took());
        }
    }

    private void next(@Nullable String lastFailure) {
        String path = Objects.requireNonNull(candidates).next();
        if (path == null) {
            exhausted = new PathRequired("no path to " + name() + " could be opened; the last failed with: "
                    + lastFailure + "\n" + recorder.build(Objects.requireNonNull(peerId)));
            send(out.set(FrameKind.PROBE, 0, 0, 0).words(0, HandshakeCodec.LAST));
            return;
        }
        String missing = node.localPaths().devices().whyNot(path);
        if (missing != null) {
            recorder.failed(path, missing, Duration.ZERO);
            next(path + ": " + missing);
            return;
        }
        attempts++;
        send(FrameKind.PROPOSE, attempts, HandshakeCodec.text(path));
        begin(path, attempts);
    }

    private void proposed(int number, String path) {
        if (connecting || card == null || number <= attempts) {
            throw new ProtocolMismatch("PROPOSE has no place here");
        }
        if (++proposals > MOST_PROPOSALS) {
            throw new ProtocolMismatch("more than " + MOST_PROPOSALS + " paths were proposed");
        }
        PathAttempt former = attempt;
        if (former != null) {
            former.fail("another path was proposed", false);
        }
        attempts = number;
        String refusal = node.localPaths().refusal(policy, path, bootstrap);
        if (refusal == null) {
            begin(path, number);
        } else {
            send(FrameKind.FAILED, number, HandshakeCodec.text(refusal));
        }
    }

    private void begin(String path, int number) {
        PathAttempt latest = new PathAttempt(node.localPaths(), loop, this, connecting, path, number);
        attempt = latest;
        begun = latest;
        latest.prepare();
    }

    private void over() {
        done = true;
        admission.end();
        deadline.dispose();
        headStart.dispose();
        if (candidates != null) {
            candidates.end();
        }
        node.doorkeeper().left(this);
    }

    private void finish() {
        over();
        node.peers().end(this);
        KeptFrame.releaseAll(early);
        PathAttempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
    }

    /** A process that has no descriptors left may not even load a class; the connection's is given back in any case. */
    private void finishAndClose() {
        try {
            finish();
        } finally {
            bootstrap.dismiss();
        }
    }

    @Override
    public boolean goesOn() {
        if (candidates != null && candidates.inSurvey()) {
            surveyed(candidates, Objects.requireNonNull(attempt));
            return false;
        }
        attemptsUsed++;
        return goesOn(node.peers().claim(this));
    }

    @Override
    public void opened(PathAttempt used, Link link) {
        attempt = null;
        recorder.chosen(used);
        PathDecision decision = recorder.build(Objects.requireNonNull(peerId));
        over();
        Identity its = Objects.requireNonNull(identity).at(card().host());
        Peer peer = new ConnectedPeer(
                decision.peer(), decision, its, bootstrap.protection().binding(), node.ports());
        PathChoice choice = choice(peer);
        node.peers().connected(this, peer, choice, used, link, attemptsUsed > 1);
        Frame holder = new Frame();
        for (KeptFrame each; (each = early.poll()) != null; each.release()) {
            choice.told(each.into(holder));
        }
        outcome.connected(peer);
        arrived(Arrival.Outcome.CONNECTED, "");
    }

    private PathChoice choice(Peer peer) {
        return candidates == null
                ? new FollowingChoice(node.localPaths(), peer.id(), peer.history(), card(), policy, tls)
                : candidates.choice(
                        node.localPaths(), peer.id(), peer.history(), card(), tunnel == null ? address : null, tls);
    }

    @Override
    public void failed(PathAttempt given, String reason) {
        attempt = null;
        recorder.failed(given.path(), reason, given.took());
        if (connecting && !done) {
            next(given.path() + ": " + reason);
        }
    }

    /** Sends the other side the reason why we do not go on, then fails. */
    private void refuse(WeirException reason) {
        refuse(reason, Errors.text(reason));
    }

    private void refuse(WeirException reason, String told) {
        if (!done) {
            send(FrameKind.REFUSE, Admission.flags(reason), 0, HandshakeCodec.text(told));
            fail(reason);
        }
    }

    void fail(WeirException reason) {
        fail(reason, Arrivals.outcome(reason));
    }

    private void fail(WeirException reason, Arrival.Outcome how) {
        if (!done) {
            finishAndClose();
            if (!rejoins()) {
                node.peers().failed(this, reason);
            }
            outcome.failed(reason);
            arrived(how, Errors.text(reason));
        }
    }
}
