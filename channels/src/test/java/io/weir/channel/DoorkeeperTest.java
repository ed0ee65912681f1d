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

    private static final Origin HERE = new Origin("7f000001");
    private static final Origin THERE = new Origin("0a000007");

    private final class Visitor implements Doorkeeper.Guest {

        private final Origin origin;

        Visitor(Origin origin) {
            this.origin = origin;
        }

        @Override
        public Origin origin() {
            return origin;
        }

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
        return come(doorkeeper, HERE);
    }

    private Visitor come(Doorkeeper doorkeeper, Origin origin) {
        Visitor visitor = new Visitor(origin);
        assertThat(doorkeeper.came(visitor)).isTrue();
        loop.settle();
        return visitor;
    }

    @Test
    void theSilentHaveHalfOfTheRoom() {
        Doorkeeper doorkeeper = doorkeeper(4, 100);
        Visitor greeted = come(doorkeeper);
        doorkeeper.greeted(greeted);
        Visitor silent = come(doorkeeper);
        var unusedSecond = come(doorkeeper);
        var unusedThird = come(doorkeeper);

        Visitor fifth = come(doorkeeper);
        assertThat(gone).containsExactly(silent);
        doorkeeper.greeted(fifth);
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
            doorkeeper.greeted(greeted.get(i));
        }
        Visitor newcomer = come(doorkeeper);
        var unused = come(doorkeeper);
        assertThat(gone).containsExactly(greeted.get(0), greeted.get(1));
        doorkeeper.greeted(newcomer);
        proves(doorkeeper, newcomer);
        for (int i = 0; i < 50; i++) {
            doorkeeper.greeted(come(doorkeeper));
        }
        assertThat(gone).doesNotContain(newcomer);
    }

    @Test
    void thenWhoHasProvedNothing() {
        Doorkeeper doorkeeper = doorkeeper(2, 100);
        Visitor proved = come(doorkeeper);
        doorkeeper.greeted(proved);
        proves(doorkeeper, proved);
        Visitor greeted = come(doorkeeper);
        doorkeeper.greeted(greeted);

        var unused = come(doorkeeper);
        assertThat(gone).containsExactly(greeted);
    }

    @Test
    void nobodyIsSentAwayWhoHasProvedHimself() {
        Doorkeeper doorkeeper = doorkeeper(1, 100);
        Visitor proved = come(doorkeeper);
        doorkeeper.greeted(proved);
        proves(doorkeeper, proved);

        assertThat(doorkeeper.came(new Visitor(HERE))).isFalse();
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
        doorkeeper.greeted(first);
        proves(doorkeeper, first);
        doorkeeper.left(first);
        assertThat(doorkeeper.count()).isEqualTo(1);
        doorkeeper.left(second);
        assertThat(doorkeeper.count()).isZero();
    }

    private void proves(Doorkeeper doorkeeper, Visitor visitor) {
        doorkeeper.admitted(visitor, false, true);
    }

    /** Says HELLO, and comes in with that, or with a proof. */
    private void comesIn(Doorkeeper doorkeeper, Origin origin, boolean proving) {
        Visitor visitor = come(doorkeeper, origin);
        doorkeeper.greeted(visitor);
        doorkeeper.admitted(visitor, false, proving);
        doorkeeper.left(visitor);
    }

    private void isTooMany(Doorkeeper doorkeeper, Origin origin, boolean proving) {
        assertThatThrownBy(() -> comesIn(doorkeeper, origin, proving))
                .isInstanceOf(Overloaded.class)
                .hasMessageContaining("weir.max.handshake-rate=");
    }

    @Test
    void asManyNewOnesAsTheRateAllows() {
        Doorkeeper doorkeeper = doorkeeper(100, 10);
        for (int i = 0; i < 10; i++) {
            comesIn(doorkeeper, HERE, false);
        }
        isTooMany(doorkeeper, HERE, false);
        Visitor known = come(doorkeeper);
        doorkeeper.greeted(known);
        doorkeeper.admitted(known, true, false);

        now += Duration.ofMillis(100).toNanos();
        comesIn(doorkeeper, HERE, false);
        isTooMany(doorkeeper, HERE, false);

        now += Duration.ofDays(300).toNanos();
        for (int i = 0; i < 10; i++) {
            comesIn(doorkeeper, HERE, false);
        }
        isTooMany(doorkeeper, HERE, false);
    }

    /** Who proves nothing where something has to be proved is not counted, and nobody is refused for him. */
    @Test
    void whoOnlySaysHelloTakesNothingFromWhoProvesWhoHeIs() {
        Doorkeeper doorkeeper = doorkeeper(100, 10);
        for (int i = 0; i < 10_000; i++) {
            doorkeeper.greeted(come(doorkeeper));
        }
        for (int i = 0; i < 10; i++) {
            comesIn(doorkeeper, HERE, true);
        }
    }

    /**
     * From one place come many more than the rate allows, for as long as they like: from elsewhere one still gets in.
     */
    @Test
    void aFloodFromOnePlaceUsesUpItsOwnRate() {
        Doorkeeper doorkeeper = doorkeeper(100, 100);
        for (int millisecond = 0; millisecond < 5_000; millisecond++) {
            int in = 0;
            for (int i = 0; i < 7; i++) {
                try {
                    comesIn(doorkeeper, HERE, false);
                    in++;
                } catch (Overloaded e) {
                    // So it goes for most of them.
                }
            }
            assertThat(in).isLessThanOrEqualTo(millisecond < 15 ? 7 : 1);
            if (millisecond % 100 == 99) {
                comesIn(doorkeeper, THERE, false);
                comesIn(doorkeeper, new Origin("gateway " + millisecond), false);
            }
            now += Duration.ofMillis(1).toNanos();
        }
        now += Duration.ofSeconds(3).toNanos();
        comesIn(doorkeeper, HERE, false);
    }

    /** From many places, none of which has many: who proves something still gets in. */
    @Test
    void aFloodFromEverywhereLeavesRoomForWhoProvesSomething() {
        Doorkeeper doorkeeper = doorkeeper(100, 100);
        int in = 0;
        for (int i = 0; i < 1000; i++) {
            try {
                comesIn(doorkeeper, new Origin("place " + i), false);
                in++;
            } catch (Overloaded e) {
                // So it goes for most of them.
            }
        }
        assertThat(in).isEqualTo(150);
        for (int i = 0; i < 50; i++) {
            comesIn(doorkeeper, new Origin("good place " + i), true);
        }
        isTooMany(doorkeeper, new Origin("another good place"), true);
    }

    @Test
    void soManyPlacesAreRemembered() {
        HandshakeRate rate = new HandshakeRate(10, () -> now);
        for (int i = 0; i < 3 * HandshakeRate.PLACES; i++) {
            var unused = rate.counts(new Origin("place " + i), false);
        }
        assertThat(rate.places()).isEqualTo(HandshakeRate.PLACES);
    }

    /** Those from one place take each other's room. */
    @Test
    void theRoomOfOthersIsNotTakenByManyFromOnePlace() {
        Doorkeeper doorkeeper = doorkeeper(8, 100);
        Visitor silent = come(doorkeeper, THERE);
        Visitor greeted = come(doorkeeper, new Origin("elsewhere"));
        doorkeeper.greeted(greeted);
        for (int i = 0; i < 1000; i++) {
            Visitor one = come(doorkeeper);
            if (i % 2 == 0) {
                doorkeeper.greeted(one);
            }
        }
        assertThat(gone).doesNotContain(silent, greeted).hasSizeGreaterThan(900);
    }
}
