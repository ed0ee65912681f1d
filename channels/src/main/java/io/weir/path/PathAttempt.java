package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.ForeignText;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.Loop;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.TlsSpec;
import io.weir.core.Transport;
import io.weir.core.WeirException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * One candidate's way from PROPOSE to USE, before a session begins or while it lives. Both sides run the same class;
 * its frames carry its number, so that late ones of an earlier attempt are recognised. The nonce in our OFFER must come
 * back over the link itself, which proves that the link ends where the bootstrap connection does. Loop thread only.
 */
public final class PathAttempt {

    private static final Logger LOG = LoggerFactory.getLogger(PathAttempt.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Round trips measured over a new link; the first ones find cold caches. */
    private static final int PROBES = 16;

    /**
     * Instead of a reason to which the other side's offer has led us: it may name any address, and must not learn what
     * is there.
     */
    private static final String NOT_OPENED = "could not be opened; why is known there";

    /** What an adapter may offer, in bytes. */
    private static final int MAX_OFFER = 4096;

    /** Between whom a path is tried, and who is called at its end, with one of both outcomes, once. */
    public interface Owner {
        /** The connection over which both sides agree. */
        Link bootstrap();

        /** The peer's card. */
        PeerCard card();

        /** How connections of ours between both are protected. */
        TlsSpec tls();

        /** For messages. */
        String name();

        /** Sends this over the bootstrap connection. Takes over the body. */
        void send(FrameKind kind, int number, ByteBuf body);

        /** Asked before we say USE: false if the owner has given up this attempt or the whole connection instead. */
        boolean goesOn();

        /** Both sides have said USE: the link is the owner's, who gives it another handler now. */
        void opened(PathAttempt attempt, Link link);

        /** Everything has been given back, and the other side informed unless it was the one to fail. */
        void failed(PathAttempt attempt, String reason);
    }

    private final LocalPaths paths;
    private final Loop loop;
    private final Owner owner;
    private final boolean connecting;
    private final String path;
    private final int number;
    private final Frame out = new Frame();
    private final long begun = System.nanoTime();
    private final long nonce = RANDOM.nextLong();
    private Disposable limit = Disposables.disposed();
    private Disposable completing = Disposables.disposed();
    private @Nullable PendingLink pending;
    private @Nullable Link link;
    private String caveat = "";
    private boolean offered;
    private long theirNonce;
    private boolean theirsOpen;
    private int round;
    /** Those of the other side. */
    private int probes;

    private long sent;
    private long fastest = Long.MAX_VALUE;
    /** We connect, and have said USE. */
    private boolean decided;

    private boolean over;

    public PathAttempt(LocalPaths paths, Loop loop, Owner owner, boolean connecting, String path, int number) {
        this.paths = paths;
        this.loop = loop;
        this.owner = owner;
        this.connecting = connecting;
        this.path = path;
        this.number = number;
    }

    public String path() {
        return path;
    }

    public int number() {
        return number;
    }

    /** Whether the other side's USE is all that is awaited. */
    public boolean isDecided() {
        return decided;
    }

    /** Since it has begun. */
    public Duration took() {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** Measured over the new link; only by the side that connects. */
    @Nullable
    public Duration roundTrip() {
        return connecting ? Duration.ofNanos(fastest) : null;
    }

    /** Through which gateways its link leads; empty if through none. */
    String way() {
        Link used = owner.bootstrap();
        return path.equals(TunnelledLink.PATH) && used instanceof TunnelledLink tunnel
                ? tunnel.route().toString()
                : "";
    }

    /** See {@link Link#caveat()}. */
    String caveat() {
        return caveat;
    }

    public void prepare() {
        Duration time = paths.spec().timeouts().step();
        limit = loop.schedule(
                () -> fail("did not open within " + time.toMillis() + " ms (weir.timeout.step)", true), time);
        try {
            Transport adapter = Objects.requireNonNull(paths.adapter(path));
            PendingLink half = adapter.prepare(new LinkRequest(
                    paths.card(),
                    owner.card(),
                    connecting,
                    loop,
                    owner.bootstrap(),
                    paths.settings(path, owner.tls())));
            pending = half;
            byte[] offer = half.offer();
            if (offer.length > MAX_OFFER) {
                fail("the adapter offers " + offer.length + " bytes, more than " + MAX_OFFER, true);
                return;
            }
            owner.send(FrameKind.OFFER, number, HandshakeCodec.offer(nonce, offer));
        } catch (WeirException e) {
            fail(String.valueOf(e.getMessage()), true);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Path {} to {} failed to prepare", path, owner.name(), e);
            fail("the adapter failed: " + e, true);
        }
    }

    /** A frame of this attempt that came over the bootstrap connection. */
    public void frame(Frame in) {
        switch (in.kind()) {
            case OFFER -> offered(in.body());
            case OPENED -> {
                if (!theirsOpen) {
                    theirsOpen = true;
                    proceed();
                }
            }
            case FAILED ->
                fail(
                        "at " + ForeignText.brief(owner.card().id().toString()) + ": "
                                + HandshakeCodec.readReason(in.body()),
                        false);
            default -> linkFrame(in);
        }
    }

    private void offered(ByteBuf body) {
        PendingLink half = pending;
        if (half == null) {
            return;
        }
        if (offered) {
            throw new ProtocolMismatch("a second OFFER");
        }
        offered = true;
        if (body.readableBytes() < 8 || body.readableBytes() > 8 + MAX_OFFER) {
            throw new ProtocolMismatch("an OFFER of " + body.readableBytes() + " bytes");
        }
        theirNonce = body.readLongLE();
        completing = half.complete(ByteBufUtil.getBytes(body))
                .subscribe(this::opened, error -> failOnTheWay(Errors.text(error)));
    }

    @SuppressWarnings("ReferenceEquality") // It is this very connection or another one.
    private boolean isBootstrap(Link other) {
        return other == owner.bootstrap();
    }

    private void opened(Link ready) {
        link = ready;
        caveat = ready.caveat();
        String refusal = paths.refusal(path, ready);
        if (refusal != null) {
            fail(refusal, true);
            return;
        }
        if (!isBootstrap(ready)) {
            ready.handler(new NewLink(this));
        }
        owner.send(FrameKind.OPENED, number, Unpooled.EMPTY_BUFFER);
        proceed();
    }

    /** Begins to probe once both sides are open. From then on the accepting side waits for the other one's decision. */
    private void proceed() {
        if (link == null || !theirsOpen) {
            return;
        }
        if (!connecting) {
            awaitUse();
        } else if (round == 0) {
            probe();
        }
    }

    private void awaitUse() {
        limit.dispose();
        Duration time = paths.spec().timeouts().handshake();
        limit = loop.schedule(
                () -> fail("was not used within " + time.toMillis() + " ms (weir.timeout.handshake)", true), time);
    }

    private void probe() {
        round++;
        sent = System.nanoTime();
        offer(out.set(FrameKind.PROBE, 0, 0, number).words(theirNonce, round));
    }

    private void offer(Frame frame) {
        if (!Objects.requireNonNull(link).offer(frame)) {
            fail("the new link has no room for a probe", true);
        }
    }

    private void linkFrame(Frame in) {
        Link open = link;
        if (open == null || in.aux() != number) {
            return;
        }
        switch (in.kind()) {
            case PROBE -> {
                check(in);
                if (++probes > PROBES) {
                    // Each is answered: whoever does not read must not have us gather answers.
                    throw new ProtocolMismatch("more than " + PROBES + " PROBEs of " + path);
                }
                if (!theirsOpen) {
                    // A probe over a fast link may overtake the OPENED that was sent before it over the bootstrap
                    // connection.
                    theirsOpen = true;
                    proceed();
                }
                offer(out.set(FrameKind.PROBED, 0, 0, number).words(theirNonce, in.second()));
            }
            case PROBED -> {
                check(in);
                if (connecting && in.second() == round) {
                    fastest = Math.min(fastest, System.nanoTime() - sent);
                    if (round < PROBES) {
                        probe();
                    } else if (owner.goesOn()) {
                        decided = true;
                        offer(out.set(FrameKind.USE, 0, 0, number));
                    }
                }
            }
            case USE -> {
                if (!theirsOpen || (connecting && round < PROBES)) {
                    throw new ProtocolMismatch("USE has no place here");
                }
                if (!connecting && owner.goesOn()) {
                    offer(out.set(FrameKind.USE, 0, 0, number));
                }
                if (!over) {
                    over = true;
                    limit.dispose();
                    owner.opened(this, open);
                }
            }
            default -> throw new ProtocolMismatch(in.kind() + " came over a link that is not in use yet");
        }
    }

    private void check(Frame in) {
        if (in.first() != nonce) {
            throw new ProtocolMismatch("the new link over " + path + " ends at another peer: wrong nonce");
        }
    }

    private void linkLost(WeirException reason) {
        link = null;
        failOnTheWay("the new link broke: " + reason.getMessage());
    }

    /** It has failed by what is where the offers lead to. */
    private void failOnTheWay(String reason) {
        fail(reason, connecting ? NOT_OPENED : reason);
    }

    /** Gives up, and informs the other side if it does not know. */
    public void fail(String reason, boolean tell) {
        fail(reason, tell ? reason : null);
    }

    private void fail(String reason, @Nullable String told) {
        if (over) {
            return;
        }
        release();
        if (told != null) {
            owner.send(FrameKind.FAILED, number, HandshakeCodec.text(told));
        }
        owner.failed(this, reason);
    }

    /** Gives everything back, and says nothing. */
    public void release() {
        over = true;
        limit.dispose();
        completing.dispose();
        Link open = link;
        link = null;
        if (open != null && !isBootstrap(open)) {
            open.close();
        }
        PendingLink half = pending;
        pending = null;
        if (half != null) {
            half.close();
        }
    }

    /** What comes over a new link while it is tried. */
    private static final class NewLink implements LinkHandler {

        private final PathAttempt of;

        NewLink(PathAttempt of) {
            this.of = of;
        }

        @Override
        public void frame(Frame in) {
            try {
                of.linkFrame(in);
            } catch (ProtocolMismatch e) {
                of.failOnTheWay(String.valueOf(e.getMessage()));
            } finally {
                in.body().release();
            }
        }

        @Override
        public void writable() {
            // Probes go one by one.
        }

        @Override
        public void lost(WeirException reason) {
            of.linkLost(reason);
        }
    }
}
