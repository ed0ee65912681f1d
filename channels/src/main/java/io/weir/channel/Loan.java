package io.weir.channel;

import io.weir.core.ErrorCode;
import io.weir.core.Loop;
import io.weir.core.MessageTooLarge;
import io.weir.core.Overloaded;
import io.weir.core.SettingText;
import io.weir.core.WeirException;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The memory that one half of a channel is lent for a message longer than its window. The account of memory lends it as
 * soon as it has enough, and gets it back when the message was delivered, or the half is over. A peer that does not use
 * what it was lent loses the channel. Loop thread only.
 */
final class Loan {

    /** The half that is lent something. */
    interface Borrower {

        /** Whether nothing more comes, or is wanted. */
        boolean over();

        /** Whether any message is held: what that takes would have to be lent as well. */
        boolean holds();

        /** Whether the pieces of a long message are coming in. */
        boolean arriving();

        /** How many bytes of pieces have come so far, of all long messages. */
        long joined();

        /**
         * Whether what has come is held because the peer does not take what it is sent: fewer bytes of that than these
         * since the last call.
         */
        boolean heldUpByPeer(int progress);

        /** There is something to grant. */
        void lent();

        /** No message of this length can be taken: the half fails. */
        void notLent(ErrorCode code, WeirException reason);
    }

    /** How often a peer is looked at that has been lent something, or waits for it. */
    static final Duration LOOK = Duration.ofSeconds(10);

    /**
     * After so many looks in a row without progress the half fails. One is not enough: the peer may have been stopped
     * until just before it.
     */
    static final int LOOKS = 2;

    /**
     * Bytes of the message that have to come between two looks: less than any network carries on which such messages
     * make sense.
     */
    static final int PROGRESS = 256 << 10;

    private final Window window;
    private final MemoryAccount.Share memory;
    private final Loop loop;
    private final KeepAlive.Watched session;
    private final Borrower borrower;

    /** Bytes that the peer wants for its next message, and that the window was not asked for yet; 0: none. */
    private long wanted;

    /** Bytes that the account has lent. */
    private long taken;

    /** Whether the window has granted any of them. */
    private boolean used;

    /** Our request that waits for the account to lend more; null: none. */
    private MemoryAccount.@Nullable Lease waiting;

    /** How often the account was asked, or what it was asked for became void. */
    private int asked;

    private Disposable nextLook = Disposables.disposed();
    private Disposable nextLookAtWaiting = Disposables.disposed();
    /** Looks in a row at which we waited, and nobody had been lent anything. */
    private int idleWaiting;

    /** Bytes of pieces that had come at the last look. */
    private long seen;

    /** What the session had heard of the peer then. */
    private long heard;

    /** Looks in a row at which too little had come, leaving out those at which nothing was heard of the peer. */
    private int idle;

    Loan(Window window, MemoryAccount.Share memory, Loop loop, KeepAlive.Watched session, Borrower borrower) {
        this.window = window;
        this.memory = memory;
        this.loop = loop;
        this.session = session;
        this.borrower = borrower;
    }

    /**
     * The peer needs this much credit for its next message. What it wanted for another one is void: that was dropped,
     * or has come because the window grew.
     */
    void want(long bytes) {
        window.want(0);
        if (bytes != wanted) {
            stopWaiting();
        }
        wanted = bytes;
    }

    /** Whether the peer waits for something that the window was not asked for yet. */
    boolean isWanted() {
        return wanted != 0;
    }

    /** Whether anything is lent, or to be lent. */
    boolean isNeeded() {
        return taken != 0 || wanted != 0;
    }

    /**
     * Has the window grant what the peer wants; if that is more than a window, as soon as nothing is held and the rest
     * was lent. The half may be over after that.
     */
    void serve() {
        // A loan is for one message: who always wants the next one already would keep it for ever.
        settle();
        if (wanted > window.maxBytes() && borrower.holds()) {
            return;
        }
        if (exceeds(wanted) && waiting == null) {
            borrow(wanted);
        }
        if (!borrower.over() && !exceeds(wanted)) {
            long bytes = wanted;
            wanted = 0;
            if (window.granted() < bytes) {
                window.want(bytes);
            }
        }
    }

    private boolean exceeds(long bytes) {
        return bytes - window.maxBytes() > taken;
    }

    private void borrow(long bytes) {
        if (window.lent() == 0) {
            // Nobody keeps what was lent while it waits for more.
            giveBack();
        }
        long more = bytes - window.maxBytes() - taken;
        long most = memory.longestLease();
        if (more > most) {
            borrower.notLent(
                    ErrorCode.TOO_LARGE,
                    new MessageTooLarge("a message of " + bytes + " bytes needs " + more
                            + " beyond the channel's window of " + window.maxBytes() + ", and the receiver lends "
                            + most + " at most: raise weir.memory.max or weir.node.bytes there, with more memory for"
                            + " its JVM (-Xmx, -XX:MaxDirectMemorySize), or send the content in pieces"));
            return;
        }
        int ask = ++asked;
        waiting = memory.lease(more, loop, () -> granted(ask, more));
        if (waiting != null) {
            idleWaiting = 0;
            nextLookAtWaiting = loop.schedule(this::lookAtWaiting, LOOK);
        }
    }

    private void granted(int ask, long bytes) {
        if (ask == asked) {
            waiting = null;
            nextLookAtWaiting.dispose();
        }
        if (ask != asked || borrower.over()) {
            // The request became void before this loop learnt of the grant.
            memory.giveBackLease(bytes);
            return;
        }
        // A peer that has not used what it was lent before gets no more time.
        if (taken == 0) {
            seen = borrower.joined();
            heard = session.heard();
            idle = 0;
            nextLook = loop.schedule(this::look, LOOK);
        }
        taken += bytes;
        borrower.lent();
    }

    /**
     * What is lent comes back, but what others have beside that may stay with them for as long as they like: a message
     * that waits for it would wait for ever.
     */
    private void lookAtWaiting() {
        if (waiting == null || borrower.over()) {
            return;
        }
        idleWaiting = wanted != 0 && memory.nothingIsLent() ? idleWaiting + 1 : 0;
        if (idleWaiting == LOOKS) {
            borrower.notLent(
                    ErrorCode.OVERLOADED,
                    new Overloaded("there is no memory for a message of " + wanted
                            + " bytes: the receiver's other peers have had it for "
                            + SettingText.of(LOOK.multipliedBy(LOOKS)) + "; raise weir.memory.max there, with"
                            + " more memory for its JVM (-Xmx, -XX:MaxDirectMemorySize), or send the content in"
                            + " pieces"));
            return;
        }
        nextLookAtWaiting = loop.schedule(this::lookAtWaiting, LOOK);
    }

    /** Nobody may keep from others what it does not use. */
    private void look() {
        if (taken == 0) {
            return;
        }
        long come = borrower.joined() - seen;
        boolean heldUp = borrower.heldUpByPeer(PROGRESS);
        boolean awaited = !borrower.over() && (borrower.arriving() || window.held() < window.lent());
        if (!heldUp && (!awaited || come >= PROGRESS)) {
            idle = 0;
        } else if (session.heard() != heard && !session.changesLinks()) {
            // One from whom nothing comes at all is stopped or cut off: how long he has is for other limits to say.
            idle++;
        }
        if (idle == LOOKS) {
            borrower.notLent(
                    ErrorCode.OVERLOADED,
                    new Overloaded(
                            heldUp
                                    ? "memory was lent for a message longer than its window, which waits until answers"
                                            + " are taken, and too few were taken in the last " + SettingText.of(LOOK)
                                    : "memory was lent for a message longer than its window, and only " + come
                                            + " bytes of it came in the last " + SettingText.of(LOOK)));
            return;
        }
        seen += come;
        heard = session.heard();
        nextLook = loop.schedule(this::look, LOOK);
    }

    /** Called after the window was asked what to grant. Gives back what it does not need any more. */
    void granting() {
        if (window.lent() > 0) {
            used = true;
        } else {
            giveBack();
        }
    }

    /** What was lent for a message that was just delivered is given back at once. */
    void settle() {
        if (used && window.lent() == 0) {
            giveBack();
        }
    }

    /** The peer sends nothing more: memory is needed only for what is held. To be called again when that is less. */
    void nothingMoreComes() {
        keepOnly(Math.max(0, window.held() - window.maxBytes()));
    }

    /** The half is over, and nothing that came is held any more. */
    void end() {
        keepOnly(0);
    }

    private void keepOnly(long needed) {
        stopWaiting();
        wanted = 0;
        if (needed == 0) {
            giveBack();
        } else if (needed < taken) {
            memory.giveBackLease(taken - needed);
            taken = needed;
        }
    }

    private void stopWaiting() {
        asked++;
        MemoryAccount.Lease waits = waiting;
        waiting = null;
        if (waits != null) {
            nextLookAtWaiting.dispose();
            memory.cancel(waits);
        }
    }

    private void giveBack() {
        if (taken != 0) {
            nextLook.dispose();
            memory.giveBackLease(taken);
            taken = 0;
        }
        used = false;
    }
}
