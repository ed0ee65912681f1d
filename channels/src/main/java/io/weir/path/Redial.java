package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Backoff;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.TimedOut;
import io.weir.core.TlsSpec;
import io.weir.core.WeirException;
import io.weir.peer.Identity;
import java.security.SecureRandom;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Replaces the bootstrap connection of a session: connects again and again, until the peer agrees to go on or says that
 * it can't. The side that has begun the session does so by itself, the other one when it is asked to connect meanwhile.
 * Loop thread only.
 */
final class Redial implements Absence.Dialler {

    private static final Logger LOG = Logs.NODE;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** What has broken a connection that both sides can open again is mostly over at once. */
    private static final Duration SHORTEST = Duration.ofMillis(20);

    /** An attempt a second costs nobody anything. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final LocalPaths paths;
    private final Loop loop;
    private final PeerAddress address;
    private final TlsSpec tls;
    private final LastingLink lasting;
    private final Backoff backoff = new Backoff(SHORTEST, LONGEST, RANDOM::nextDouble);
    private final Disposable.Swap dialling = Disposables.swap();
    private Disposable next = Disposables.disposed();
    private @Nullable Talk talk;
    private String lastFailure = "";
    private boolean over;

    Redial(LocalPaths paths, Loop loop, PeerAddress address, TlsSpec tls, LastingLink lasting) {
        this.paths = paths;
        this.loop = loop;
        this.address = address;
        this.tls = tls;
        this.lasting = lasting;
    }

    @Override
    public boolean isAnswered() {
        return talk != null;
    }

    @Override
    public boolean isInVain() {
        return !lastFailure.isEmpty() && talk == null;
    }

    @Override
    public String lastFailure() {
        return lastFailure;
    }

    @Override
    public void begin() {
        if (!over) {
            dialling.replace(paths.dial(address, loop, tls)
                    .subscribe(
                            link -> lasting.execute(() -> connected(link)),
                            error -> lasting.execute(() -> failed(error))));
        }
    }

    @Override
    public void end() {
        over = true;
        next.dispose();
        dialling.dispose();
        Talk current = talk;
        talk = null;
        if (current != null) {
            current.leave();
        }
    }

    private void connected(Link link) {
        if (over) {
            link.close();
            return;
        }
        Talk begun = new Talk(link);
        talk = begun;
        begun.begin();
    }

    private void failed(Throwable reason) {
        if (over) {
            return;
        }
        lastFailure = String.valueOf(reason.getMessage());
        LOG.debug("Connecting anew to {}: {}", address, lastFailure);
        next = loop.schedule(this::begin, backoff.next());
        lasting.rejoining().stillAway();
    }

    /** One connection, from HELLO to the peer's REJOIN. */
    private final class Talk implements LinkHandler, Admission.Owner {

        private final Link link;
        private final Admission admission;
        private final Frame out = new Frame();
        private Disposable deadline = Disposables.disposed();
        private boolean admitted;
        /** What we have said of where the session goes meanwhile. */
        private int said;

        Talk(Link link) {
            this.link = link;
            this.admission = new Admission(
                    paths.spec().security(),
                    paths.spec().security().requirementAt(address),
                    paths.id(),
                    paths.key(),
                    true,
                    true,
                    paths.dialled(address, link),
                    link.protection(),
                    paths.elsewhere(),
                    this);
        }

        void begin() {
            Duration limit = paths.spec().timeouts().handshake();
            deadline = loop.schedule(
                    () -> giveUp(new TimedOut(
                            "no answer to REJOIN within " + limit.toMillis() + " ms (weir.timeout.handshake)")),
                    limit);
            link.handler(this);
            admission.begin();
        }

        @Override
        public void say(FrameKind kind, ByteBuf body) {
            Admission.send(link, out.set(kind, 0, 0, 0, body));
        }

        private boolean done() {
            return !equals(talk);
        }

        private void stop() {
            deadline.dispose();
            admission.end();
            talk = null;
        }

        void leave() {
            deadline.dispose();
            admission.end();
            link.close();
        }

        @Override
        public void later(Runnable task) {
            lasting.execute(task);
        }

        @Override
        public void giveUp(WeirException reason) {
            if (!done()) {
                stop();
                link.close();
                failed(reason);
            }
        }

        private void inVain(WeirException reason) {
            stop();
            link.close();
            lasting.rejoining().refused(reason);
        }

        @Override
        public void frame(Frame in) {
            try {
                if (!done()) {
                    receive(in);
                }
            } catch (WeirException e) {
                giveUp(e);
            } finally {
                in.body().release();
            }
        }

        private void receive(Frame in) {
            if (in.kind() == FrameKind.REFUSE) {
                refused(in);
            } else if (!admitted) {
                admission.frame(in);
            } else if (in.kind() == FrameKind.REJOIN && in.first() == lasting.number()) {
                stop();
                lasting.rejoining().accepted(link, said, in.aux());
            } else {
                throw new ProtocolMismatch(in.kind() + " has no place where a session goes on");
            }
        }

        @Override
        public void admitted(PeerId peer, Identity identity) {
            admitted = true;
            if (!peer.equals(lasting.peerId())) {
                if (peer.name().equals(lasting.peerId().name())) {
                    inVain(new SessionLost("it has been started anew: " + peer + " answers at " + address));
                } else {
                    giveUp(new SessionLost("another node, " + peer + ", answers at " + address));
                }
            } else if (!lasting.isStill(identity, admission.isDirect())) {
                giveUp(new AuthenticationFailed("it has proved less than before, or to be"
                        + " another one, or what was dialled leads to it no longer"));
            } else {
                said = lasting.settledNumber();
                int flags = lasting.leads() ? Flags.LEADS : 0;
                Admission.send(link, out.set(FrameKind.REJOIN, flags, 0, said).words(lasting.number(), 0));
            }
        }

        private void refused(Frame in) {
            if (admitted && in.has(Flags.ENDED)) {
                inVain(new SessionLost(HandshakeCodec.readReason(in.body())));
                return;
            }
            if (admitted && in.has(Flags.CROSSED)) {
                backoff.reset();
                lasting.peerLives();
            }
            giveUp(Admission.refusal("it refuses", in));
        }

        @Override
        public void writable() {
            // A few short frames are sent; a connection that has no room for them is ended by the deadline.
        }

        @Override
        public void lost(WeirException reason) {
            giveUp(reason);
        }
    }
}
