package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Loop;
import io.weir.core.Overloaded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoorkeeperTest {

    private final ManualLoop loop = new ManualLoop();
    private final List<Visitor> gone = new ArrayList<>();
    private long now = -5;

    private final class Visitor implements Doorkeeper.Guest {

        @Override
        public Loop loop() {
            return loop;
        }

        @Override
        public void leave(Overloaded reason) {
            assertThat(reason).hasMessageContaining("weir.max.handshakes");
            gone.add(this);
        }
    }

    private Doorkeeper doorkeeper(int room, int rate) {
        return new Doorkeeper(room, rate, () -> now);
    }

    private Visitor come(Doorkeeper doorkeeper) {
        Visitor visitor = new Visitor();
        assertThat(doorkeeper.came(visitor)).isTrue();
        loop.settle();
        return visitor;
    }

    @Test
    void theSilentHaveHalfOfTheRoom() {
        Doorkeeper doorkeeper = doorkeeper(4, 100);
        Visitor greeted = come(doorkeeper);
        doorkeeper.greeted(greeted, false);
        Visitor silent = come(doorkeeper);
        var unusedSecond = come(doorkeeper);
        var unusedThird = come(doorkeeper);

        Visitor fifth = come(doorkeeper);
        assertThat(gone).containsExactly(silent);
        doorkeeper.greeted(fifth, false);
        var unusedSixth = come(doorkeeper);
        assertThat(gone).containsExactly(silent, greeted);
    }

    /** Whoever comes has not said anything yet: those who have must not make it leave at once. */
    @Test
    void aRoomOfThoseWhoHaveSaidHelloTakesAnother() {
        Doorkeeper doorkeeper = doorkeeper(4, 100);
        List<Visitor> greeted = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            greeted.add(come(doorkeeper));
            doorkeeper.greeted(greeted.get(i), false);
        }
        Visitor newcomer = come(doorkeeper);
        var unused = come(doorkeeper);
        assertThat(gone).containsExactly(greeted.get(0), greeted.get(1));
        doorkeeper.greeted(newcomer, false);
        doorkeeper.proved(newcomer);
        for (int i = 0; i < 50; i++) {
            doorkeeper.greeted(come(doorkeeper), false);
        }
        assertThat(gone).doesNotContain(newcomer);
    }

    @Test
    void thenWhoHasProvedNothing() {
        Doorkeeper doorkeeper = doorkeeper(2, 100);
        Visitor proved = come(doorkeeper);
        doorkeeper.greeted(proved, false);
        doorkeeper.proved(proved);
        Visitor greeted = come(doorkeeper);
        doorkeeper.greeted(greeted, false);

        var unused = come(doorkeeper);
        assertThat(gone).containsExactly(greeted);
    }

    @Test
    void nobodyIsSentAwayWhoHasProvedHimself() {
        Doorkeeper doorkeeper = doorkeeper(1, 100);
        Visitor proved = come(doorkeeper);
        doorkeeper.greeted(proved, false);
        doorkeeper.proved(proved);

        assertThat(doorkeeper.came(new Visitor())).isFalse();
        loop.settle();
        assertThat(gone).isEmpty();
        doorkeeper.left(proved);
        var unused = come(doorkeeper);
        assertThat(doorkeeper.count()).isEqualTo(1);
    }

    /** What happens on its own loop may come later than its displacement. */
    @Test
    void whoWasSentAwayDoesNotComeBackByWhatItSays() {
        Doorkeeper doorkeeper = doorkeeper(1, 100);
        Visitor first = come(doorkeeper);
        Visitor second = come(doorkeeper);
        doorkeeper.greeted(first, false);
        doorkeeper.proved(first);
        doorkeeper.left(first);
        assertThat(doorkeeper.count()).isEqualTo(1);
        doorkeeper.left(second);
        assertThat(doorkeeper.count()).isZero();
    }

    @Test
    void asManyNewOnesAsTheRateAllows() {
        Doorkeeper doorkeeper = doorkeeper(100, 10);
        for (int i = 0; i < 10; i++) {
            doorkeeper.greeted(come(doorkeeper), false);
        }
        Visitor tooSoon = come(doorkeeper);
        assertThatThrownBy(() -> doorkeeper.greeted(tooSoon, false))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("weir.max.handshake-rate=10");
        doorkeeper.greeted(come(doorkeeper), true);

        now += Duration.ofMillis(100).toNanos();
        doorkeeper.greeted(tooSoon, false);
        assertThatThrownBy(() -> doorkeeper.greeted(come(doorkeeper), false)).isInstanceOf(Overloaded.class);

        now += Duration.ofDays(300).toNanos();
        for (int i = 0; i < 10; i++) {
            doorkeeper.greeted(come(doorkeeper), false);
        }
        assertThatThrownBy(() -> doorkeeper.greeted(come(doorkeeper), false)).isInstanceOf(Overloaded.class);
    }
}
