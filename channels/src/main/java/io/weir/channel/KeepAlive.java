package io.weir.channel;

import io.weir.core.Loop;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Notices a peer that says nothing any more although its connection is open: it is stopped, kept from its work, or cut
 * off from us without anybody telling. Only a peer that is silent is asked, so under traffic this costs nothing. Loop
 * thread only.
 *
 * <p>Counts how often it has looked in vain instead of measuring time: if we were stopped ourselves, what the peer has
 * said meanwhile was not read yet, and must be before it is given up.
 */
final class KeepAlive {

    /** The session whose peer this is about. */
    interface Watched {

        /** How many frames of every kind have come that are not about links. */
        long heard();

        /** Whether the link is about to change, so that the peer can't be asked; another limit counts then. */
        boolean changesLinks();

        /** Asks the peer whether it is there, as soon as the link has room. */
        void ping();

        /** The peer has said nothing for as long as it may, though it was asked. */
        void silent();

        boolean hasEnded();
    }

    private final Watched session;
    private final Loop loop;
    private final Duration interval;
    /** So many looks in vain, and the peer is given up; the first one asks it. */
    private final long patience;

    private long heard;
    private long silentLooks;
    private Disposable nextLook = Disposables.disposed();

    KeepAlive(Watched session, Loop loop, Duration interval, Duration timeout) {
        this.session = session;
        this.loop = loop;
        this.interval = interval;
        this.patience = (timeout.toNanos() + interval.toNanos() - 1) / interval.toNanos();
    }

    /** Looks after an interval; no more once the session has ended, as a timer would keep the loop from ending. */
    void begin() {
        if (!session.hasEnded()) {
            nextLook = loop.schedule(this::look, interval);
        }
    }

    void end() {
        nextLook.dispose();
    }

    private void look() {
        long now = session.heard();
        if (now != heard || session.changesLinks()) {
            heard = now;
            silentLooks = 0;
        } else if (++silentLooks < patience) {
            session.ping();
        } else {
            // What has just woken us may be the answer: it is read before tasks are run.
            loop.execute(this::lastLook);
            return;
        }
        begin();
    }

    private void lastLook() {
        if (session.heard() == heard) {
            session.silent();
        } else {
            look();
        }
    }
}
