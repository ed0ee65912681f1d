package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import org.junit.jupiter.api.Test;

/** What may have to be sent again is in the account, before and after a link is lost. */
class RetainedTest {

    private static final long TOTAL = 64 << 20;
    private static final long MOST = 1 << 20;

    private final MemoryAccount account = new MemoryAccount(TOTAL, TOTAL);
    private final MemoryAccount.Share share = account.share("peer");
    private final Retained retained = new Retained(share, MOST);

    private long unconfirmed() {
        return account.stats().uses().getOrDefault(MemoryUse.UNCONFIRMED, 0L);
    }

    @Test
    void framesThatCameBackAreKeptAsLongAsThereIsMemory() {
        long bound = retained.bytes();
        assertThat(bound).isPositive().isLessThanOrEqualTo(MOST);
        long frames = 0;
        while (retained.mayKeep(0)) {
            frames++;
        }
        // Each takes more than a hundred bytes, however short it is.
        assertThat(unconfirmed()).isGreaterThan(100 * frames).isLessThanOrEqualTo(TOTAL);
        assertThat(account.stats().used()).isLessThanOrEqualTo(TOTAL);
        retained.keepsNone();
        assertThat(unconfirmed()).isEqualTo(bound);
        assertThat(retained.mayKeep(100)).isTrue();
        retained.end();
        assertThat(unconfirmed()).isZero();
    }

    @Test
    void afterTheEndNothingIsTaken() {
        retained.end();
        assertThat(retained.bytes()).isZero();
        assertThat(retained.mayKeep(0)).isFalse();
        retained.end();
        assertThat(unconfirmed()).isZero();
    }
}
