package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerCard;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.TlsSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The paths that are tried while a session lives, one at a time: proposed from the side that leads, and answered by the
 * other one. Loop thread only.
 */
final class Trials implements PathAttempt.Owner {

    /**
     * In a second: each has an adapter prepare for it. Who looks for a path because all are lost proposes every one of
     * them each 100 ms, which is within this.
     */
    private static final int MOST_PROPOSALS = 100;

    private final LastingLink link;
    private final Loop loop;
    private final PathChoice choice;
    private final Rate proposals = new Rate(MOST_PROPOSALS, Duration.ofMillis(10), System::nanoTime);

    private @Nullable PathAttempt attempt;
    /** How many there were, those of the handshake included: the number of the last one. */
    private int attempts;

    Trials(LastingLink link, Loop loop, PathChoice choice, int attempts) {
        this.link = link;
        this.loop = loop;
        this.choice = choice;
        this.attempts = attempts;
    }

    /** Whether a path is being tried. */
    boolean isTrying() {
        return attempt != null;
    }

    /** Proposes this path to the peer, and tries it. */
    void propose(String path) {
        attempts++;
        link.send(FrameKind.PROPOSE, attempts, HandshakeCodec.text(path));
        begin(path, attempts);
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

    /** What is tried is given up, without a word. */
    void end() {
        PathAttempt current = attempt;
        attempt = null;
        if (current != null) {
            current.release();
        }
    }

    /** The peer proposes a path. */
    void proposed(int number, String path) {
        if (choice.leads() || number <= attempts) {
            throw new ProtocolMismatch("PROPOSE has no place here");
        }
        PathAttempt former = attempt;
        if (former != null) {
            former.fail("another path was proposed", false);
        }
        attempts = number;
        String refusal = choice.refusal(path);
        if (refusal == null && link.isMoving()) {
            refusal = "the last move has not ended yet";
        }
        if (refusal == null && !proposals.take()) {
            refusal = "more than " + MOST_PROPOSALS + " paths were proposed in a second";
        }
        if (refusal != null) {
            link.send(FrameKind.FAILED, number, HandshakeCodec.text(refusal));
            return;
        }
        begin(path, number);
    }

    private void begin(String path, int number) {
        if (!link.hasEnded()) {
            PathAttempt begun = choice.attempt(this, loop, path, number);
            attempt = begun;
            begun.prepare();
        }
    }

    /**
     * A frame about an attempt: that of now, or an earlier one.
     *
     * @param used the attempt whose link is used
     * @return whether the peer has given up the link that is used, as one that could not be opened
     */
    boolean frame(Frame in, int used) {
        PathAttempt current = attempt;
        if (current != null && current.number() == in.aux()) {
            current.frame(in);
        } else if (in.kind() == FrameKind.PROBE
                && in.aux() == 0
                && in.second() == HandshakeCodec.LAST
                && !choice.leads()) {
            // Our USE came too late for it, and every other path has failed as well.
            link.user().lost(new SessionLost("it has given up the handshake, as no path could be opened in time"));
        } else if (in.aux() == LastingLink.WISH && choice.awaitsAnswer() && mayBeLate(in.kind())) {
            choice.answered(in.kind() == FrameKind.OPENED ? null : HandshakeCodec.readReason(in.body()));
        } else if (in.aux() == 0 || in.aux() > attempts || (in.aux() == used && !mayBeLate(in.kind()))) {
            throw LastingLink.outOfPlace(in.kind());
        } else {
            return in.kind() == FrameKind.FAILED && in.aux() == used;
        }
        return false;
    }

    /** What comes over the bootstrap connection when the new link has been used already. */
    private static boolean mayBeLate(FrameKind kind) {
        return kind == FrameKind.OPENED || kind == FrameKind.FAILED;
    }

    @Override
    public Link bootstrap() {
        return link.bootstrap();
    }

    @Override
    public PeerCard card() {
        return choice.card();
    }

    @Override
    public TlsSpec tls() {
        return choice.tls();
    }

    @Override
    public String name() {
        return link.peerId().toString();
    }

    @Override
    public void send(FrameKind kind, int number, ByteBuf body) {
        link.send(kind, number, body);
    }

    @Override
    public boolean goesOn() {
        return true;
    }

    @Override
    public void failed(PathAttempt given, String reason) {
        attempt = null;
        if (!link.hasEnded()) {
            choice.failed(given, reason);
        }
    }

    @Override
    public void opened(PathAttempt won, Link opened) {
        attempt = null;
        link.opened(opened, won.number(), won.path());
        // Users learn of it, and may cut it at once.
        choice.chosen(won);
        link.settle();
    }
}
