package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.core.Overloaded;
import io.weir.core.Repeat;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeldMemoryTest {

    private static final long TOTAL = 64 << 20;
    private static final long COVERED = 1000;

    private final MemoryAccount account = new MemoryAccount(TOTAL, TOTAL);
    private final MemoryAccount.Share share = account.share("peer");
    private final HeldMemory held = new HeldMemory(share, MemoryUse.REQUESTS, COVERED);

    private long inAccount() {
        return account.stats().uses().getOrDefault(MemoryUse.REQUESTS, 0L);
    }

    /** Leaves the peer about so much, and at most 1 KiB more. */
    private void leave(long bytes) {
        for (long piece = TOTAL; piece >= 1024; piece /= 2) {
            while (share.tryTake(MemoryUse.OUTGOING, piece)) {
                // As much as there is.
            }
        }
        share.give(MemoryUse.OUTGOING, bytes);
    }

    @AfterEach
    void nothingIsHeldAnyMore() {
        assertThat(inAccount()).isZero();
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void whatTheAccountHasWithTheMessageIsNotTakenAgain() {
        held.use(COVERED - 1);
        held.use(1);
        assertThat(held.isEmpty()).isTrue();
        assertThat(inAccount()).isZero();
        held.use(1);
        assertThat(held.isEmpty()).isFalse();
        assertThat(held.taken()).isPositive().isEqualTo(inAccount());
        held.release();
    }

    @Test
    void whatIsTakenBesideThatIsGivenBackOnce() {
        held.use(COVERED + 5000);
        assertThat(held.taken()).isGreaterThanOrEqualTo(5000).isEqualTo(inAccount());
        held.release();
        assertThat(inAccount()).isZero();
        held.release();
        assertThat(held.taken()).isZero();
    }

    @Test
    void aLongValueDoesNotAskForEachOfItsParts() {
        int parts = 100_000;
        int asked = 0;
        for (int i = 0; i < parts; i++) {
            long before = inAccount();
            held.use(1);
            asked += inAccount() == before ? 0 : 1;
        }
        assertThat(inAccount()).isGreaterThanOrEqualTo(parts - COVERED);
        assertThat(asked).isBetween(1, 10);
        held.release();
    }

    @Test
    void whatIsLetGoAtOnceIsNotInTheAccount() {
        HeldMemory brief = new HeldMemory(share, MemoryUse.REQUESTS, COVERED, 3000);
        brief.use(COVERED + 1000);
        brief.use(2000);
        assertThat(inAccount()).isZero();
        assertThat(brief.isEmpty()).isTrue();
        brief.release();
        assertThat(inAccount()).isZero();
    }

    @Test
    void whatIsHeldBeyondTheMomentIsTakenThen() {
        HeldMemory brief = new HeldMemory(share, MemoryUse.REQUESTS, COVERED, 3000);
        brief.use(COVERED + 1000);
        brief.settle();
        assertThat(inAccount()).isEqualTo(1000);
        brief.settle();
        assertThat(inAccount()).isEqualTo(1000);
        brief.use(1);
        assertThat(inAccount()).isGreaterThan(1000);
        brief.release();
    }

    @Test
    void whatIsMoreThanTheMomentMayHaveIsTakenAtOnce() {
        HeldMemory brief = new HeldMemory(share, MemoryUse.REQUESTS, COVERED, 3000);
        brief.use(COVERED + 3001);
        assertThat(inAccount()).isEqualTo(3001);
        brief.use(3000);
        assertThat(inAccount()).isEqualTo(3001);
        brief.settle();
        assertThat(inAccount()).isGreaterThanOrEqualTo(6001);
        brief.release();
    }

    /** It is there already, and what was done with it can't be undone. */
    @Test
    void whatIsHeldBeyondTheMomentIsTakenThoughThereIsNoMemoryAndNoOtherHasAMomentThen() {
        leave(MemoryAccount.MOMENT);
        assertThat(share.moment()).isEqualTo(MemoryAccount.MOMENT);
        for (int i = 0; i < 2; i++) {
            HeldMemory brief = new HeldMemory(share, MemoryUse.REQUESTS, COVERED, MemoryAccount.MOMENT);
            brief.use(COVERED + MemoryAccount.MOMENT);
            brief.settle();
            assertThat(inAccount()).isEqualTo(MemoryAccount.MOMENT);
            assertThat(share.moment()).isZero();
            // Somebody takes what is left meanwhile.
            share.take(MemoryUse.OUTGOING, 2048);
            brief.release();
            assertThat(inAccount()).isZero();
        }
    }

    @Test
    void aPeerHasAMomentWhileThereIsRoomForIt() {
        assertThat(share.moment()).isEqualTo(MemoryAccount.MOMENT);
        leave(MemoryAccount.MOMENT / 2);
        assertThat(share.moment()).isZero();
        share.give(MemoryUse.OUTGOING, MemoryAccount.MOMENT);
        assertThat(share.moment()).isEqualTo(MemoryAccount.MOMENT);
    }

    @Test
    void aValueForWhichThereIsNoMemoryTakesNothing() {
        Overloaded error = catchThrowableOfType(Overloaded.class, () -> held.use(TOTAL));
        assertThat(error).hasMessageContaining("weir.memory.max");
        // The request has come, so something may have been done for it.
        assertThat(error.repeat()).isEqualTo(Repeat.IDEMPOTENT);
        assertThat(held.isEmpty()).isTrue();
        // What the account has with the message is there all the same.
        held.use(COVERED);
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void whereThereIsLittleLeftNoMoreIsTakenThanIsNeeded() {
        leave(10_000);
        held.use(COVERED + 2000);
        held.use(3000);
        held.use(3000);
        assertThat(inAccount()).isEqualTo(8000);
        assertThatThrownBy(() -> held.use(4000)).isInstanceOf(Overloaded.class);
        assertThat(inAccount()).isEqualTo(8000);
        held.release();
    }

    @Test
    void itIsGivenBackWhenNobodyHoldsItAnyMore() {
        held.use(COVERED + 5000);
        held.retain();
        held.release();
        assertThat(inAccount()).isEqualTo(5000);
        held.use(100);
        held.release();
        assertThat(inAccount()).isZero();
    }

    @Test
    void aValueThatOutlivesItsMessageCountsWhole() {
        held.use(COVERED + 5000);
        held.uncover();
        assertThat(held.taken()).isEqualTo(COVERED + 5000).isEqualTo(inAccount());
        held.uncover();
        assertThat(inAccount()).isEqualTo(COVERED + 5000);
        held.release();
        assertThat(inAccount()).isZero();
        held.uncover();
        assertThat(inAccount()).isZero();
    }

    @Test
    void whatIsHeldHereDoesNotKeepThePeerFromBeginning() {
        HeldMemory large = new HeldMemory(share, MemoryUse.REQUESTS, TOTAL);
        assertThat(large.mayBegin()).isTrue();
        // The message of it.
        share.take(MemoryUse.OUTGOING, TOTAL);
        assertThat(large.mayBegin()).isTrue();
        assertThat(held.mayBegin()).isFalse();
        large.uncover();
        share.give(MemoryUse.OUTGOING, TOTAL);
        assertThat(large.mayBegin()).isTrue();
        assertThat(held.mayBegin()).isFalse();
        large.release();
        assertThat(held.mayBegin()).isTrue();
    }
}
