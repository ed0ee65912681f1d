package io.weir.channel;

import io.weir.channel.HandshakeCodec.Hello;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.ProtocolMismatch;
import io.weir.core.SessionLost;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Replaces the bootstrap connection of a session, on the side that has connected: connects again and again, until the peer agrees to go
 * on or says that it can't. Loop thread only.
 */
final class Redial {

    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    /** What has broken a connection that both sides can open again is mostly over at once. */
    private static final Duration SHORTEST = Duration.ofMillis(20);

    /** An attempt a second costs nobody anything. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final Node node;
    private final Loop loop;
    private final PeerAddress address;
    private final Links links;
    private Duration pause = SHORTEST;
    private final Disposable.Swap dialling = Disposables.swap();
    private Disposable next = Disposables.disposed();
    private @Nullable Talk talk;
    private String lastFailure = "";
    private boolean over;

    Redial(Node node, Loop loop, PeerAddress address, Links links) {
        this.node = node;
        this.loop = loop;
        this.address = address;
        this.links = links;
    }

    /** Whether it was tried in vain, and nobody is just answering. */
    boolean isInVain() {
        return !lastFailure.isEmpty() && talk == null;
    }

    /** Why the last try was in vain; empty before. */
    String lastFailure() {
        return lastFailure;
    }

    void begin() {
        if (!over) {
            dialling.replace(node.dial(address, loop)
                    .subscribe(link -> here(() -> connected(link)), error -> here(() -> failed(error))));
        }
    }

    private void here(Runnable task) {
        if (loop.inLoop()) {
            task.run();
            return;
        }
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has answered when the loop had ended, and with it the connection", address);
        }
    }

    /** Tries no more. */
    void end() {
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
        double jitter = 0.75 + RANDOM.nextDouble() * 0.5;
        next = loop.schedule(this::begin, Duration.ofNanos((long) (pause.toNanos() * jitter)));
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST) > 0 ? LONGEST : twice;
        links.stillAway();
    }

    /** One connection, from HELLO to the peer's REJOIN. */
    private final class Talk implements LinkHandler {

        private final Link link;
        private final Frame out = new Frame();
        private Disposable deadline = Disposables.disposed();
        private boolean greeted;
        /** What we have said of where the session goes meanwhile. */
        private int said;

        Talk(Link link) {
            this.link = link;
        }

        void begin() {
            Duration limit = node.spec().handshakeTimeout();
            deadline = loop.schedule(
                    () -> giveUp(new TimedOut(
                            "no answer to REJOIN within " + limit.toMillis() + " ms (weir.timeout.handshake)")),
                    limit);
            link.handler(this);
            send(out.set(FrameKind.HELLO, Flags.REJOINS, 0, 0).body(HandshakeCodec.hello(node.id())));
        }

        /** What finds no room is dropped: the deadline ends this. */
        private void send(Frame frame) {
            if (link.offer(frame)) {
                frame.clear();
            } else {
                frame.release();
            }
        }

        private boolean done() {
            return !equals(talk);
        }

        private void stop() {
            deadline.dispose();
            talk = null;
        }

        void leave() {
            deadline.dispose();
            link.close();
        }

        private void giveUp(WeirException reason) {
            if (!done()) {
                stop();
                link.close();
                failed(reason);
            }
        }

        private void inVain(WeirException reason) {
            stop();
            link.close();
            links.cantRejoin(reason);
        }

        @Override
        public void frame(Frame in) {
            try {
                if (!done()) {
                    receive(in);
                }
            } catch (ProtocolMismatch e) {
                giveUp(e);
            } finally {
                in.body().release();
            }
        }

        private void receive(Frame in) {
            switch (in.kind()) {
                case HELLO -> hello(HandshakeCodec.readHello(in.body()));
                case REFUSE -> refused(in, HandshakeCodec.readReason(in.body()));
                case REJOIN -> {
                    if (!greeted || in.first() != links.number()) {
                        throw new ProtocolMismatch("REJOIN has no place here");
                    }
                    stop();
                    links.rejoined(link, said, in.aux());
                }
                default -> throw new ProtocolMismatch(in.kind() + " has no place where a session goes on");
            }
        }

        private void hello(Hello hello) {
            if (greeted) {
                throw new ProtocolMismatch("a second HELLO");
            }
            greeted = true;
            if (hello.id().equals(links.peerId())) {
                said = links.settledNumber();
                send(out.set(FrameKind.REJOIN, 0, 0, said).words(links.number(), 0));
            } else if (hello.id().name().equals(links.peerId().name())) {
                inVain(new SessionLost("it has been started anew: " + hello.id() + " answers at " + address));
            } else {
                giveUp(new SessionLost("another node, " + hello.id() + ", answers at " + address));
            }
        }

        private void refused(Frame in, String reason) {
            if (in.has(Flags.ENDED)) {
                inVain(new SessionLost(reason));
            } else if (in.has(Flags.CROSSED)) {
                stop();
                link.close();
                Redial.this.begin();
            } else {
                giveUp(new SessionLost("it refuses: " + reason));
            }
        }

        @Override
        public void writable() {
            // Two short frames are sent; a connection that has no room for them is ended by the deadline.
        }

        @Override
        public void lost(WeirException reason) {
            giveUp(reason);
        }
    }
}
