package io.weir.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Pollable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollablesTest {

    private static final int MANY = 100;

    private final Failures failures = new Failures("a loop");
    private final Pollables pollables = new Pollables();
    private long now = 1;

    /** Whoever is asked answers as the test has set; counts what it is asked. */
    private static class Probe implements Pollable {
        int polls;
        int work;
        int sleeps;
        int awakes;
        boolean mayRest = true;
        boolean mayBeQuiet = true;
        boolean quiet;

        @Override
        public int poll() {
            assertThat(sleeps).as("it is polled while it is awake").isEqualTo(awakes);
            polls++;
            return work;
        }

        @Override
        public boolean asleep() {
            assertThat(sleeps).isEqualTo(awakes);
            sleeps++;
            return mayRest;
        }

        @Override
        public void awake() {
            awakes++;
            assertThat(sleeps).isEqualTo(awakes);
            quiet = false;
        }

        @Override
        public boolean becomeQuiet() {
            if (!mayBeQuiet) {
                return false;
            }
            sleeps++;
            quiet = true;
            return true;
        }
    }

    private List<Probe> add(int count) {
        List<Probe> probes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Probe probe = new Probe();
            probes.add(probe);
            pollables.add(probe);
        }
        return probes;
    }

    private void turn() {
        int unused = pollables.poll(failures);
        pollables.sift(now, failures);
    }

    /** Turns until nothing changes any more. */
    private void settle() {
        turn();
        for (int i = 0; i < MANY; i++) {
            now += Pollables.IDLE_NANOS;
            turn();
        }
    }

    private static long quiet(List<Probe> probes) {
        return probes.stream().filter(probe -> probe.quiet).count();
    }

    private void polledOnce(List<Probe> probes) {
        int[] before = probes.stream().mapToInt(probe -> probe.polls).toArray();
        int unused = pollables.poll(failures);
        for (int i = 0; i < before.length; i++) {
            assertThat(probes.get(i).polls - before[i]).isEqualTo(probes.get(i).quiet ? 0 : 1);
        }
    }

    @Test
    void aFewStayPolledHoweverIdle() {
        List<Probe> probes = add(Pollables.FEW);
        settle();
        assertThat(quiet(probes)).isZero();
        polledOnce(probes);
    }

    @Test
    void ofManyThoseThatAreIdleBecomeQuiet() {
        List<Probe> probes = add(MANY);
        Probe busy = probes.get(3);
        busy.work = 1;
        Probe unwilling = probes.get(4);
        unwilling.mayBeQuiet = false;
        settle();
        assertThat(quiet(probes)).isEqualTo(MANY - Pollables.FEW);
        assertThat(pollables.polled()).isEqualTo(Pollables.FEW);
        assertThat(busy.quiet).isFalse();
        assertThat(unwilling.quiet).isFalse();
        polledOnce(probes);
    }

    @Test
    void noneIsQuietBeforeItsTime() {
        List<Probe> probes = add(MANY);
        turn();
        turn();
        now += Pollables.IDLE_NANOS - 1;
        turn();
        assertThat(quiet(probes)).isZero();
        now++;
        turn();
        assertThat(quiet(probes)).as("a bounded number in a turn").isBetween(1L, 32L);
    }

    @Test
    void whoeverIsRousedIsPolledAgainAndHasTimeAnew() {
        List<Probe> probes = add(MANY);
        settle();
        Probe roused = probes.stream().filter(probe -> probe.quiet).findFirst().orElseThrow();
        pollables.rouse(roused, failures);
        pollables.rouse(roused, failures);
        assertThat(roused.quiet).isFalse();
        assertThat(pollables.polled()).isEqualTo(Pollables.FEW + 1);
        polledOnce(probes);
        settle();
        assertThat(pollables.polled()).isEqualTo(Pollables.FEW);
    }

    @Test
    void whoeverIsRousedWhileTheLoopSleepsAwakesWithTheOthers() {
        List<Probe> probes = add(MANY);
        settle();
        assertThat(pollables.asleep(failures)).isTrue();
        assertThat(probes).allMatch(probe -> probe.sleeps == probe.awakes + 1);
        Probe roused = probes.stream().filter(probe -> probe.quiet).findFirst().orElseThrow();
        pollables.rouse(roused, failures);
        assertThat(roused.sleeps).as("its peer still has to ring").isEqualTo(roused.awakes + 1);
        pollables.awake(failures);
        assertThat(roused.quiet).isFalse();
        assertThat(quiet(probes)).isEqualTo(MANY - Pollables.FEW - 1);
        assertThat(probes).allMatch(probe -> probe.sleeps == probe.awakes + (probe.quiet ? 1 : 0));
        polledOnce(probes);
    }

    @Test
    void allCanBeRoused() {
        List<Probe> probes = add(MANY);
        settle();
        pollables.rouseAll(failures);
        assertThat(quiet(probes)).isZero();
        polledOnce(probes);
    }

    @Test
    void whoeverSaysThatThereIsWorkKeepsTheLoopAwakeAndTheOthersUnasked() {
        List<Probe> probes = add(3);
        probes.get(1).mayRest = false;
        assertThat(pollables.asleep(failures)).isFalse();
        assertThat(probes.get(2).sleeps).isZero();
        pollables.awake(failures);
        assertThat(probes).allMatch(probe -> probe.sleeps == probe.awakes);
    }

    @Test
    void whatIsRemovedIsAwakeAndIsNotPolledAgain() {
        List<Probe> probes = add(MANY);
        settle();
        for (Probe probe : probes) {
            pollables.remove(probe);
            pollables.remove(probe);
            pollables.rouse(probe, failures);
            assertThat(probe.sleeps).isEqualTo(probe.awakes);
        }
        assertThat(pollables.isEmpty()).isTrue();
        int polls = probes.get(0).polls;
        turn();
        pollables.rouseAll(failures);
        turn();
        assertThat(probes.get(0).polls).isEqualTo(polls);
        pollables.add(probes.get(0));
        turn();
        assertThat(probes.get(0).polls).isEqualTo(polls + 1);
    }

    @Test
    void aQuietOneIsStillThere() {
        List<Probe> probes = add(MANY);
        settle();
        Probe quiet = probes.stream().filter(probe -> probe.quiet).findFirst().orElseThrow();
        assertThatThrownBy(() -> pollables.add(quiet)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void oneMayRemoveAndRouseOthersWhileItIsPolled() {
        List<Probe> probes = add(MANY);
        settle();
        List<Probe> polled = probes.stream().filter(probe -> !probe.quiet).toList();
        Probe sleeper = probes.stream().filter(probe -> probe.quiet).findFirst().orElseThrow();
        Probe first = new Probe() {
            @Override
            public int poll() {
                pollables.remove(polled.get(1));
                pollables.rouse(sleeper, failures);
                return super.poll();
            }
        };
        polled.forEach(pollables::remove);
        pollables.add(first);
        pollables.add(polled.get(1));
        pollables.add(polled.get(2));
        int before = polled.get(1).polls;
        int next = polled.get(2).polls;
        int roused = sleeper.polls;
        int unused = pollables.poll(failures);
        assertThat(polled.get(1).polls).isEqualTo(before);
        assertThat(polled.get(2).polls).isEqualTo(next + 1);
        assertThat(sleeper.polls).as("from the next turn on").isEqualTo(roused);
        turn();
        assertThat(sleeper.polls).isEqualTo(roused + 1);
    }

    @Test
    void whoeverFailsDisturbsNobody() {
        List<Probe> probes = add(MANY);
        Probe failing = new Probe() {
            @Override
            public int poll() {
                throw new IllegalStateException("expected");
            }

            @Override
            public boolean becomeQuiet() {
                throw new IllegalStateException("expected");
            }

            @Override
            public boolean asleep() {
                sleeps++;
                throw new IllegalStateException("expected");
            }
        };
        pollables.add(failing);
        settle();
        assertThat(quiet(probes)).isEqualTo(MANY - Pollables.FEW + 1);
        assertThat(pollables.asleep(failures)).isFalse();
        pollables.remove(failing);
        pollables.awake(failures);
        assertThat(pollables.asleep(failures)).isTrue();
        pollables.awake(failures);
    }
}
