package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class CreditsTest {

    @Test
    void aMessageCostsOneItemAndItsBytes() {
        Credits credits = new Credits(2, 100);

        assertThat(credits.tryTake(60)).isTrue();
        assertThat(credits.tryTake(41)).as("bytes are short").isFalse();
        assertThat(credits.tryTake(40)).isTrue();
        assertThat(credits.tryTake(0)).as("items are short").isFalse();
        assertThat(credits.items()).isZero();
        assertThat(credits.bytes()).isZero();
    }

    @Test
    void whatIsNotPaidChangesNothing() {
        Credits credits = new Credits(1, 10);

        assertThat(credits.tryTake(11)).isFalse();
        assertThat(credits.items()).isEqualTo(1);
        assertThat(credits.bytes()).isEqualTo(10);
        assertThat(credits.covers(10)).isTrue();
        assertThat(credits.covers(11)).isFalse();
    }

    @Test
    void coveringBytesSaysNothingOfItems() {
        assertThat(new Credits(0, 10).covers(10)).isTrue();
        assertThat(new Credits(0, 10).tryTake(10)).isFalse();
    }

    @Test
    void countsBeyond32Bits() {
        Credits credits = new Credits(1L << 40, 1L << 50);
        credits.grant(1L << 40, 1L << 50);

        assertThat(credits.items()).isEqualTo(1L << 41);
        assertThat(credits.tryTake(1L << 51)).isTrue();
        assertThat(credits.items()).isEqualTo((1L << 41) - 1);
        assertThat(credits.bytes()).isZero();
    }

    @Test
    void refusesHostileGrantsAndChangesNothing() {
        Credits credits = new Credits(5, 5);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> credits.grant(-1, 0))
                .withMessage("a grant of -1 items on top of 5 is out of range: 0 to " + Credits.MAX);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> credits.grant(1, -1))
                .withMessageContaining("-1 bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> credits.grant(1, Long.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> credits.grant(Long.MAX_VALUE, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> credits.grant(1, Credits.MAX - 4));
        assertThat(credits.items()).isEqualTo(5);
        assertThat(credits.bytes()).isEqualTo(5);

        credits.grant(Credits.MAX - 5, Credits.MAX - 5);
        assertThat(credits.items()).isEqualTo(Credits.MAX);
        assertThat(credits.bytes()).isEqualTo(Credits.MAX);
    }

    @Test
    void refusesAHostileBeginning() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Credits(-1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Credits(0, Long.MAX_VALUE));
    }

    @Test
    void refusesAMessageOfNegativeLength() {
        Credits credits = new Credits(1, 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> credits.tryTake(-1))
                .withMessageContaining("-1 bytes");
        assertThat(credits.bytes()).isEqualTo(1);
    }
}
