package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.ErrorCode;
import io.weir.core.MessageTooLarge;
import io.weir.core.Overloaded;
import io.weir.core.WeirException;
import io.weir.flow.Window;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoanTest {

    private static final int WINDOW = 64 << 10;
    private static final int LONG = 4 << 20;
    private static final int EXTRA = LONG - WINDOW;

    private final ManualLoop loop = new ManualLoop();
    private final MemoryAccount account = new MemoryAccount(256 << 20, 64 << 20);
    private final MemoryAccount.Share share = account.share("peer");
    private final MemoryAccount.Share others = account.share("others");
    private final Peer peer = new Peer();
    private final Half half = new Half();

    /** Each call of {@link #heard} counts as a frame, unless the peer is silent. */
    private static final class Peer implements KeepAlive.Watched {

        private long heard;
        private boolean silent;
        private boolean changesLinks;

        @Override
        public long heard() {
            return silent ? heard : ++heard;
        }

        @Override
        public boolean changesLinks() {
            return changesLinks;
        }

        @Override
        public void ping() {
            throw new AssertionError("nobody asks it");
        }

        @Override
        public void silent() {
            throw new AssertionError("that is for others to say");
        }

        @Override
        public boolean hasEnded() {
            return false;
        }
    }

    /** Grants at the end of the loop's turn, as a channel does. */
    private final class Half implements Loan.Borrower {

        final Window window = new Window(16, WINDOW, 16);
        final Loan loan = new Loan(window, share, loop, peer, this);
        long granted = WINDOW;
        boolean arriving;
        long joined;
        boolean heldUp;
        /** A message without bytes. */
        boolean holdsEmpty;

        boolean over;

        @Nullable
        ErrorCode code;

        @Nullable
        WeirException reason;

        void want(long bytes) {
            loan.want(bytes);
            lent();
            loop.settle();
        }

        @Override
        public void lent() {
            loop.atTurnEnd(this::grant);
        }

        void grant() {
            if (!over && loan.isWanted()) {
                loan.serve();
            }
            if (!over) {
                granted += window.bytesToGrant();
                loan.granting();
            }
        }

        void arrives(long bytes) {
            window.arrived(bytes);
            granted -= bytes;
        }

        void isTaken(long bytes) {
            isTakenLater(bytes);
            loan.settle();
        }

        /** By somebody who keeps nothing, and does not say that it has it. */
        void isTakenLater(long bytes) {
            window.request(1);
            window.delivered();
            window.freed(bytes);
        }

        @Override
        public boolean over() {
            return over;
        }

        @Override
        public boolean holds() {
            return holdsEmpty || window.held() != 0;
        }

        @Override
        public boolean arriving() {
            return arriving;
        }

        @Override
        public long joined() {
            return joined;
        }

        @Override
        public boolean heldUpByPeer(int progress) {
            return heldUp;
        }

        /** A long message begins, and pieces of it come. */
        void comes(int bytes) {
            arriving = true;
            joined += bytes;
        }

        @Override
        public void notLent(ErrorCode why, WeirException text) {
            assertThat(reason).as("it fails once").isNull();
            code = why;
            reason = text;
            over = true;
            loan.end();
        }

        WeirException failure() {
            return Objects.requireNonNull(reason, "it has not failed");
        }
    }

    @AfterEach
    void nothingIsLeft() {
        half.over = true;
        half.loan.end();
        loop.settle();
        share.close();
        others.close();
        assertThat(account.lent()).isZero();
        assertThat(account.stats().used()).isZero();
        assertThat(loop.timers()).isZero();
    }

    private void othersHaveAllThatIsLent() {
        others.lendAnyway(64 << 20);
    }

    private void looks(int times) {
        for (int i = 0; i < times; i++) {
            loop.advance(Loan.LOOK);
        }
    }

    @Test
    void whatFitsIntoTheWindowIsNotLent() {
        half.want(WINDOW);
        assertThat(account.lent()).isZero();
        assertThat(half.loan.isNeeded()).isFalse();
        assertThat(half.granted).isEqualTo(WINDOW);
    }

    @Test
    void whatExceedsTheWindowIsLentUntilItWasTaken() {
        half.want(LONG);
        assertThat(half.granted).isEqualTo(LONG);
        assertThat(account.lent()).isEqualTo(EXTRA);
        half.arrives(LONG);
        assertThat(account.lent()).as("it is held").isEqualTo(EXTRA);
        half.isTaken(LONG);
        assertThat(account.lent()).isZero();
        half.grant();
        assertThat(half.granted).as("the window is as before").isEqualTo(WINDOW);
    }

    @Test
    void nothingIsLentWhileSomethingIsHeld() {
        half.arrives(10);
        half.want(LONG);
        assertThat(account.lent()).isZero();
        half.isTaken(10);
        half.grant();
        assertThat(account.lent()).isEqualTo(EXTRA);
        assertThat(half.granted).isEqualTo(LONG);
    }

    @Test
    void aWantThatIsReplacedByAShorterOneIsVoid() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        half.want(WINDOW);
        others.giveBackLease(64 << 20);
        loop.settle();
        half.grant();
        assertThat(account.lent()).isZero();
        assertThat(half.granted).isEqualTo(WINDOW);
    }

    @Test
    void whatWasWantedBeforeIsVoid() {
        half.arrives(WINDOW / 2);
        half.want(WINDOW);
        assertThat(half.window.wanted()).isEqualTo(WINDOW);
        half.want(1);
        assertThat(half.window.wanted()).isZero();
        assertThat(half.loan.isWanted()).isFalse();
    }

    @Test
    void itWaitsForWhatOthersHave() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        looks(5);
        assertThat(half.granted).isEqualTo(WINDOW);
        assertThat(half.reason).as("what is lent to others comes back").isNull();
        others.giveBackLease(64 << 20);
        loop.settle();
        assertThat(half.granted).isEqualTo(LONG);
        assertThat(account.lent()).isEqualTo(EXTRA);
    }

    @Test
    void whatIsNotLentToAnybodyIsNotWaitedForForEver() {
        // They keep everything, so that nothing is left that could be lent.
        others.take(MemoryUse.WINDOWS, 255 << 20);
        half.want(LONG);
        looks(Loan.LOOKS - 1);
        assertThat(half.reason).isNull();
        looks(1);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(half.failure())
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("no memory for a message of " + LONG + " bytes")
                .hasMessageContaining("weir.memory.max");
        others.give(MemoryUse.WINDOWS, 255 << 20);
        assertThat(account.lent()).as("it no longer waits").isZero();
    }

    @Test
    void moreThanIsEverLentIsRefusedAtOnce() {
        half.want(WINDOW + share.longestLease() + 1);
        assertThat(half.code).isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(half.failure())
                .isInstanceOf(MessageTooLarge.class)
                .hasMessageContaining("lends " + share.longestLease() + " at most")
                .hasMessageContaining("weir.memory.max");
    }

    @Test
    void asMuchAsIsEverLentIsLent() {
        half.want(WINDOW + share.longestLease());
        assertThat(half.granted).isEqualTo(WINDOW + share.longestLease());
    }

    @Test
    void aPeerThatDoesNotUseItLosesTheChannel() {
        half.want(LONG);
        looks(Loan.LOOKS - 1);
        assertThat(half.reason).isNull();
        looks(1);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(half.failure()).hasMessageContaining("only 0 bytes of it came in the last 10s");
        assertThat(account.lent()).isZero();
    }

    @Test
    void aPeerThatUsesItTooSlowlyLosesTheChannel() {
        half.want(LONG);
        half.arrives(LONG);
        for (int i = 0; i < Loan.LOOKS; i++) {
            half.comes(Loan.PROGRESS - 1);
            looks(1);
        }
        assertThat(half.failure()).hasMessageContaining("only " + (Loan.PROGRESS - 1) + " bytes of it came");
        assertThat(account.lent()).isZero();
    }

    @Test
    void aPeerThatUsesItFastEnoughKeepsIt() {
        half.want(LONG);
        half.arrives(LONG);
        for (int i = 0; i < 4 * Loan.LOOKS; i++) {
            half.comes(i % Loan.LOOKS == 0 ? Loan.PROGRESS : 0);
            looks(1);
        }
        assertThat(half.reason).isNull();
        assertThat(account.lent()).isEqualTo(EXTRA);
    }

    @Test
    void aPeerOfWhomNothingIsHeardIsLeftToOtherLimits() {
        half.want(LONG);
        peer.silent = true;
        looks(3 * Loan.LOOKS);
        peer.silent = false;
        peer.changesLinks = true;
        looks(3 * Loan.LOOKS);
        assertThat(half.reason).isNull();
        peer.changesLinks = false;
        looks(Loan.LOOKS);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    void aCompleteMessageThatIsHeldKeepsItsLoan() {
        half.want(LONG);
        half.arrives(LONG);
        looks(5 * Loan.LOOKS);
        assertThat(half.reason).isNull();
        assertThat(account.lent()).isEqualTo(EXTRA);
    }

    @Test
    void moreIsLentForALongerMessageOnceTheLastOneWasTaken() {
        half.want(LONG);
        half.arrives(LONG);
        half.want(2 * LONG);
        assertThat(account.lent()).as("while the first is held").isEqualTo(EXTRA);
        half.isTaken(LONG);
        half.grant();
        assertThat(account.lent()).isEqualTo(2 * LONG - WINDOW);
        assertThat(half.granted).isEqualTo(2 * LONG);
    }

    @Test
    void whatIsLentWhenTheHalfIsOverIsGivenBack() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        // What is given back is lent to it, and before its loop knows, it is over.
        others.giveBackLease(64 << 20);
        assertThat(account.lent()).isEqualTo(EXTRA);
        half.over = true;
        half.loan.end();
        loop.settle();
        assertThat(account.lent()).isZero();
    }

    @Test
    void whoWantsEverMoreHasNoMoreTime() {
        for (int i = 0; i < Loan.LOOKS; i++) {
            assertThat(half.reason).isNull();
            half.want(LONG + i);
            looks(1);
        }
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(account.lent()).isZero();
    }

    @Test
    void whoIsSilentAtEverySecondLookHasNoMoreTimeThanItsSilence() {
        half.want(LONG);
        for (int i = 0; i < 2 * Loan.LOOKS; i++) {
            assertThat(half.reason).isNull();
            peer.silent = i % 2 == 0;
            looks(1);
        }
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    void whatCameOfTheLastMessageCounts() {
        half.want(LONG);
        half.arrives(LONG);
        half.comes(1);
        looks(1);
        // It is whole now, and taken, and the next one has begun.
        half.comes(LONG - 1);
        half.isTaken(LONG);
        half.want(LONG);
        half.arrives(LONG);
        half.comes(1);
        looks(1);
        assertThat(half.reason).isNull();
        looks(Loan.LOOKS);
        assertThat(half.failure()).hasMessageContaining("only 0 bytes of it came");
    }

    @Test
    void whoDoesNotTakeItsAnswersKeepsNoLoanByThat() {
        half.want(LONG);
        half.arrives(LONG);
        half.heldUp = true;
        looks(Loan.LOOKS - 1);
        assertThat(half.reason).isNull();
        looks(1);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(half.failure()).hasMessageContaining("waits until answers are taken");
        assertThat(account.lent()).isZero();
    }

    @Test
    void theSameWantKeepsItsPlaceInTheLine() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        Half behind = new Half();
        behind.want(2 * LONG);
        half.want(LONG);
        others.giveBackLease(EXTRA);
        loop.settle();
        assertThat(half.granted).isEqualTo(LONG);
        behind.over = true;
        behind.loan.end();
        others.giveBackLease((64 << 20) - EXTRA);
    }

    @Test
    void whatWasGrantedForAnotherWantIsGivenBackOnItsWay() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        others.giveBackLease(64 << 20);
        assertThat(account.lent()).as("granted, and its loop does not know").isEqualTo(EXTRA);
        half.loan.want(2 * LONG);
        loop.settle();
        assertThat(account.lent()).isZero();
        half.grant();
        loop.settle();
        assertThat(half.granted).isEqualTo(2 * LONG);
        assertThat(account.lent()).isEqualTo(2 * LONG - WINDOW);
    }

    @Test
    void behindTheEndOnlyWhatIsHeldNeedsMemory() {
        half.want(LONG);
        half.loan.nothingMoreComes();
        assertThat(account.lent()).as("nothing is held").isZero();
    }

    @Test
    void whatIsHeldBehindTheEndKeepsItsMemory() {
        half.want(LONG);
        half.arrives(LONG - 1000);
        half.over = true;
        half.loan.nothingMoreComes();
        assertThat(account.lent()).isEqualTo(EXTRA - 1000);
        looks(5 * Loan.LOOKS);
        assertThat(half.reason).isNull();
        half.isTaken(LONG - 1000);
        assertThat(account.lent()).isZero();
    }

    @Test
    void behindTheEndNothingIsWaitedFor() {
        othersHaveAllThatIsLent();
        half.want(LONG);
        half.loan.nothingMoreComes();
        others.giveBackLease(64 << 20);
        assertThat(account.lent()).isZero();
        assertThat(loop.timers()).isZero();
    }

    /** A window that was asked for it before would take, without the account, what the next message needs. */
    @Test
    void aWantWhileTheLastMessageComesIsLentForAnew() {
        half.want(LONG);
        half.arrives(LONG);
        half.want(LONG);
        half.isTaken(LONG);
        assertThat(account.lent()).isZero();
        half.grant();
        assertThat(account.lent()).isEqualTo(EXTRA);
        assertThat(half.granted).isEqualTo(LONG);
        looks(Loan.LOOKS);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
    }

    @Test
    void whatAWindowHasIsGrantedThoughSomethingIsHeld() {
        half.arrives(WINDOW / 2);
        half.want(WINDOW);
        assertThat(half.loan.isWanted()).isFalse();
        assertThat(half.window.wanted()).isEqualTo(WINDOW);
    }

    @Test
    void whoIsHeldUpBehindItsEndKeepsNoLoanByThat() {
        half.want(LONG);
        half.arrives(LONG);
        half.over = true;
        half.loan.nothingMoreComes();
        half.heldUp = true;
        looks(Loan.LOOKS);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(account.lent()).isZero();
    }

    @Test
    void behindTheEndItIsGivenBackAsSoonAsItWasTaken() {
        half.want(LONG);
        half.arrives(LONG);
        half.over = true;
        half.loan.nothingMoreComes();
        half.window.request(1);
        half.window.delivered();
        half.window.freed(LONG);
        half.loan.nothingMoreComes();
        assertThat(account.lent()).isZero();
    }

    @Test
    void whatWasLentForALongMessageIsNotKeptForAShorterOne() {
        half.want(LONG);
        half.arrives(LONG);
        half.want(WINDOW + 1);
        half.isTakenLater(LONG);
        half.grant();
        loop.settle();
        assertThat(account.lent()).isEqualTo(1);
        assertThat(half.granted).isEqualTo(WINDOW + 1);
    }

    @Test
    void behindAMessageWithoutBytesNothingIsLent() {
        half.holdsEmpty = true;
        half.want(LONG);
        assertThat(account.lent()).isZero();
        half.holdsEmpty = false;
        half.grant();
        loop.settle();
        assertThat(half.granted).isEqualTo(LONG);
    }

    @Test
    void whoSendsLittleOfWhatItMayKeepsNoLoanByThat() {
        half.want(LONG);
        half.arrives(WINDOW + 1);
        looks(Loan.LOOKS);
        assertThat(half.code).isEqualTo(ErrorCode.OVERLOADED);
    }
}
