package io.weir.path;

import io.weir.config.TimeoutSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How a session gets another bootstrap connection when it has lost its own: who dials, which connection is kept when
 * both have dialled, and when to give up. Loop thread only.
 */
final class Rejoining {

    /** Another link may still hold what had come before the bootstrap connection ended. */
    private static final Duration DRAIN = Duration.ofMillis(500);

    private final LastingLink lasting;
    private final Loop loop;
    private final Moves moves;
    /** Null if the session has one link only. */
    private final @Nullable PathChoice choice;

    private final Absence absence;
    private Disposable draining = Disposables.disposed();
    /** Nobody replaces it. */
    private boolean isFinal;

    Rejoining(LastingLink lasting, Loop loop, TimeoutSpec timeouts, Moves moves, @Nullable PathChoice choice) {
        this.lasting = lasting;
        this.loop = loop;
        this.moves = moves;
        this.choice = choice;
        this.absence = new Absence(loop, timeouts, System::nanoTime, this::waitedInVain);
    }

    /** Whether there is no bootstrap connection. */
    boolean isAway() {
        return absence.lasts();
    }

    /** Whether there is no bootstrap connection, and the peer has to connect anew. */
    boolean waitsForPeer() {
        return absence.lasts() && !absence.isDialling();
    }

    /** Whether the bootstrap connection is lost for good. */
    boolean isFinal() {
        return isFinal;
    }

    void end() {
        draining.dispose();
        absence.giveUp();
    }

    /** The bootstrap connection is lost. */
    void lost(WeirException reason, boolean openHere) {
        PathChoice deciding = choice;
        if (deciding == null
                || deciding.stays()
                || deciding.nodeCloses()
                || lasting.isTunnel()
                || reason instanceof ProtocolMismatch) {
            isFinal = true;
            if (moves.isHeardOverBootstrap() || moves.isSuspended()) {
                lasting.user().lost(reason);
            } else {
                draining = loop.schedule(() -> lasting.user().lost(reason), DRAIN);
            }
            return;
        }
        goesAway(deciding, reason, openHere);
        PeerAddress address = deciding.address();
        if (address != null && mayDial()) {
            Redial redial = deciding.redial(lasting, address, deciding.tls());
            if (moves.settledNumber() == 0) {
                absence.dial(redial);
            } else {
                absence.dialSoon(redial);
            }
        }
    }

    private void goesAway(PathChoice deciding, WeirException reason, boolean openHere) {
        lasting.endTrial();
        boolean goesOn = moves.settledNumber() != 0;
        absence.begins(reason);
        if (!lasting.bootstrapGone(openHere)) {
            lasting.user().lost(reason);
            return;
        }
        deciding.log()
                .info("The bootstrap connection to " + lasting.peerId() + " was lost"
                        + (goesOn ? ", the session goes on over " + lasting.path() : "") + ": " + Errors.text(reason));
        deciding.interrupted("the bootstrap connection was lost: " + Errors.text(reason));
        lasting.settle();
    }

    /** The session waits for a link: what was to be dialled in a moment is dialled now. */
    void hasten() {
        absence.hasten();
    }

    /** The peer can be reached there. */
    void dial(PeerAddress address, TlsSpec tls) {
        if (mayDial()) {
            absence.dial(Objects.requireNonNull(choice).redial(lasting, address, tls));
        }
    }

    private boolean mayDial() {
        return !lasting.hasEnded() && waitsForPeer();
    }

    /** See {@link Absence#peerLives}. */
    void peerLives() {
        if (!lasting.hasEnded()) {
            absence.peerLives();
        }
    }

    /** Whoever dials has failed once more. */
    void stillAway() {
        absence.check();
    }

    private void waitedInVain(WeirException reason) {
        if (!lasting.hasEnded()) {
            lasting.user().lost(reason);
        }
    }

    /** The peer can't go on with this session. */
    void refused(WeirException reason) {
        absence.hasDialled();
        if (lasting.hasEnded()) {
            return;
        }
        if (moves.isSuspended()) {
            lasting.user().lost(reason);
        } else {
            // Its goodbye may have come already, over another link.
            draining = loop.schedule(() -> lasting.user().lost(reason), DRAIN);
        }
    }

    /** The peer agrees to go on over this connection, which we have dialled. */
    void accepted(Link link, int said, int theirSettled) {
        if (said == moves.settledNumber()) {
            absence.hasDialled();
            comesBack(link, said != 0 && said == theirSettled);
        } else {
            // Lost since then, of which the peer can't know.
            link.close();
            absence.dialAgain();
        }
    }

    /**
     * The peer, who has dialled, wants to go on over this connection. When both dial at once, that of the side that
     * leads is kept.
     *
     * @return whether it is taken
     */
    boolean offered(Link link, int theirSettled) {
        if (lasting.hasEnded()) {
            return false;
        }
        PathChoice deciding = Objects.requireNonNull(choice);
        if (absence.isAnswered() && deciding.leads()) {
            return false;
        }
        absence.stopDialling();
        if (!absence.lasts()) {
            goesAway(deciding, new PeerUnavailable("the peer has lost it"), true);
        }
        int said = moves.settledNumber();
        Frame answer = new Frame().set(FrameKind.REJOIN, 0, 0, said).words(lasting.number(), 0);
        if (!lasting.hasEnded() && link.offer(answer)) {
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
        boolean keptAll = moves.comesBack(goesOn);
        lasting.bootstrapIs(link);
        long millis = absence.ends();
        lasting.listenToBootstrap();
        PathChoice deciding = Objects.requireNonNull(choice);
        deciding.log()
                .info("The bootstrap connection to " + lasting.peerId() + " is back after "
                        + millis + " ms, the session "
                        + (goesOn ? "goes on over " + lasting.path() : "begins again where it was interrupted"));
        if (!keptAll) {
            lasting.user()
                    .abandon(new SessionLost(
                            "a link to " + lasting.peerId() + " was lost, and what was under way with it"));
            return;
        }
        deciding.reachable();
        lasting.settle();
    }
}
