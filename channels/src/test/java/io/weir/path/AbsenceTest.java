package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.ManualLoop;
import io.weir.config.NodeSpec;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AbsenceTest {

    private static final Duration REJOIN = Duration.ofMillis(500);
    private static final Duration RESUME = Duration.ofSeconds(30);
    private static final Duration LITTLE = Duration.ofMillis(1);

    private final WeirException closed = new SessionLost("closed");
    private final WeirException cut = new PeerUnavailable("cut");

    private final ManualLoop loop = new ManualLoop();
    private long now = Long.MAX_VALUE - 5;
    private final List<WeirException> inVain = new ArrayList<>();
    private final Absence absence = new Absence(
            loop,
            NodeSpec.builder()
                    .rejoinTimeout(REJOIN)
                    .resumeTimeout(RESUME)
                    .build()
                    .timeouts(),
            () -> now,
            inVain::add);

    private void pass(Duration time) {
        now += time.toNanos();
        loop.advance(time);
    }

    @Test
    void whoHasClosedTheConnectionIsAwaitedForAMoment() {
        absence.begins(closed);
        assertThat(absence.lasts()).isTrue();
        pass(REJOIN.minus(LITTLE));
        assertThat(inVain).isEmpty();
        pass(LITTLE);
        assertThat(inVain).containsExactly(closed);
    }

    @Test
    void whoCannotBeReachedIsAwaitedForLong() {
        absence.begins(cut);
        pass(RESUME.minus(LITTLE));
        assertThat(inVain).isEmpty();
        pass(LITTLE);
        assertThat(inVain).containsExactly(cut);
    }

    @Test
    void whoWasHeardOfIsAwaitedForLongFromThenOn() {
        absence.begins(closed);
        pass(REJOIN.minus(LITTLE));
        absence.peerLives();
        pass(RESUME.minus(LITTLE));
        assertThat(inVain).isEmpty();
        // Once: who is heard of again and again, and does not come, is not awaited for ever.
        absence.peerLives();
        pass(LITTLE);
        assertThat(inVain).containsExactly(closed);
    }

    @Test
    void whoIsBackIsAwaitedNoLonger() {
        absence.begins(closed);
        assertThat(absence.ends()).isNotNegative();
        assertThat(absence.lasts()).isFalse();
        assertThat(loop.timers()).isZero();
        absence.peerLives();
        pass(RESUME);
        assertThat(inVain).isEmpty();
    }

    @Test
    void eachAbsenceHasItsTime() {
        absence.begins(closed);
        pass(REJOIN.minus(LITTLE));
        absence.peerLives();
        assertThat(absence.ends()).isNotNegative();
        absence.begins(closed);
        pass(REJOIN.minus(LITTLE));
        assertThat(inVain).isEmpty();
        absence.peerLives();
        pass(RESUME.minus(LITTLE));
        assertThat(inVain).isEmpty();
        pass(LITTLE);
        assertThat(inVain).hasSize(1);
    }

    @Test
    void whatWasOverdueIsNotSoInTheNextAbsence() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dial(trying);
        pass(REJOIN);
        absence.hasDialled();
        assertThat(absence.ends()).isNotNegative();
        absence.begins(closed);
        trying.failure = "refused";
        absence.dial(trying);
        absence.check();
        assertThat(inVain).isEmpty();
    }

    private void comesBackAtOnce(Trying trying) {
        absence.begins(closed);
        absence.dial(trying);
        absence.hasDialled();
        assertThat(absence.ends()).isNotNegative();
    }

    @Test
    void whoClosesEachConnectionAtOnceIsDialledMoreSlowly() {
        Trying trying = new Trying();
        for (int i = 0; i < Absence.DIALS; i++) {
            comesBackAtOnce(trying);
        }
        assertThat(trying.done).hasSize(Absence.DIALS);
        for (int more = 1; more <= 10; more++) {
            absence.begins(closed);
            absence.dial(trying);
            assertThat(trying.done).hasSize(Absence.DIALS + more - 1);
            pass(Absence.PAUSE);
            assertThat(trying.done).hasSize(Absence.DIALS + more);
            absence.hasDialled();
            assertThat(absence.ends()).isNotNegative();
        }
        assertThat(inVain).isEmpty();
        pass(Absence.PAUSE.multipliedBy(Absence.DIALS));
        for (int i = 0; i < Absence.DIALS; i++) {
            comesBackAtOnce(trying);
        }
        assertThat(trying.done).hasSize(2 * Absence.DIALS + 10);
    }

    @Test
    void aPeerThatComesByItselfIsNotDialledLater() {
        Trying trying = new Trying();
        for (int i = 0; i < Absence.DIALS; i++) {
            comesBackAtOnce(trying);
        }
        absence.begins(closed);
        absence.dial(trying);
        absence.stopDialling();
        assertThat(absence.ends()).isNotNegative();
        pass(Absence.PAUSE.multipliedBy(2));
        assertThat(trying.done).hasSize(Absence.DIALS + 1).endsWith("end");
        assertThat(loop.timers()).isZero();
    }

    /** Its goodbye may be on its way over the link on which its session goes on. */
    @Test
    void aPeerWhoseSessionGoesOnIsDialledInAMoment() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dialSoon(trying);
        assertThat(absence.isDialling()).isTrue();
        pass(Absence.MOMENT.minus(LITTLE));
        assertThat(trying.done).isEmpty();
        pass(LITTLE);
        assertThat(trying.done).containsExactly("begin");
    }

    @Test
    void aPeerWhoseSessionGoesOnNoLongerIsDialledAtOnceAndOnce() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dialSoon(trying);
        absence.hasten();
        assertThat(trying.done).containsExactly("begin");
        absence.hasten();
        pass(Absence.MOMENT.multipliedBy(2));
        assertThat(trying.done).containsExactly("begin");
    }

    @Test
    void whoClosesEachConnectionAtOnceIsNotDialledSoonerBecauseTheSessionGoesOnNoLonger() {
        Trying trying = new Trying();
        for (int i = 0; i < Absence.DIALS; i++) {
            comesBackAtOnce(trying);
        }
        absence.begins(closed);
        absence.dialSoon(trying);
        absence.hasten();
        absence.hasten();
        assertThat(trying.done).hasSize(Absence.DIALS);
        pass(Absence.PAUSE);
        assertThat(trying.done).hasSize(Absence.DIALS + 1);
    }

    @Test
    void nobodyIsDialledSoonInALaterAbsence() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dialSoon(trying);
        absence.stopDialling();
        assertThat(absence.ends()).isNotNegative();
        absence.begins(closed);
        pass(Absence.MOMENT.multipliedBy(2));
        absence.hasten();
        assertThat(trying.done).containsExactly("end");
    }

    @Test
    void aPeerThatSaysGoodbyeMeanwhileIsNotDialled() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dialSoon(trying);
        absence.giveUp();
        pass(RESUME);
        assertThat(trying.done).containsExactly("end");
        assertThat(inVain).isEmpty();
    }

    @Test
    void nothingIsAwaitedOnceItIsGivenUp() {
        absence.begins(cut);
        absence.giveUp();
        assertThat(loop.timers()).isZero();
        pass(RESUME);
        assertThat(inVain).isEmpty();
    }

    /** What the test says of it, and what was done with it. */
    private static final class Trying implements Absence.Dialler {

        final List<String> done = new ArrayList<>();
        boolean answered;
        String failure = "";

        @Override
        public void begin() {
            done.add("begin");
        }

        @Override
        public void end() {
            done.add("end");
        }

        @Override
        public boolean isAnswered() {
            return answered;
        }

        @Override
        public boolean isInVain() {
            return !failure.isEmpty() && !answered;
        }

        @Override
        public String lastFailure() {
            return failure;
        }
    }

    @Test
    void aTryThatIsUnderWayIsStillAwaitedAndItsFailureIsPartOfTheReason() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dial(trying);
        assertThat(absence.isDialling()).isTrue();
        pass(REJOIN);
        assertThat(inVain).isEmpty();
        trying.answered = true;
        trying.failure = "refused";
        absence.check();
        assertThat(inVain).isEmpty();
        trying.answered = false;
        absence.check();
        assertThat(inVain)
                .singleElement()
                .satisfies(why ->
                        assertThat(why).hasMessage("closed; then refused").hasCause(closed));
        assertThat(trying.done).containsExactly("begin");
    }

    @Test
    void failuresBeforeTheTimeIsOverAreNotTheEnd() {
        Trying trying = new Trying();
        trying.failure = "refused";
        absence.begins(closed);
        absence.dial(trying);
        absence.check();
        pass(REJOIN.minus(LITTLE));
        assertThat(inVain).isEmpty();
        pass(LITTLE);
        assertThat(inVain).hasSize(1);
    }

    @Test
    void whoeverDialsIsStoppedOnce() {
        Trying trying = new Trying();
        absence.begins(closed);
        absence.dial(trying);
        absence.dialAgain();
        absence.stopDialling();
        assertThat(absence.isDialling()).isFalse();
        assertThat(absence.isAnswered()).isFalse();
        absence.giveUp();
        assertThat(trying.done).containsExactly("begin", "begin", "end");
    }
}
