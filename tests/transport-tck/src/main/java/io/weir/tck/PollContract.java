package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Waiting;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;

/** A loop polls what it is given in every turn, tells it before it sleeps, and sleeps when there is nothing to do. */
interface PollContract extends Loops {

    @Test
    default void runsHooksOnceBeforeItPollsAgain() throws Exception {
        with(Waiting.BALANCED, loop -> {
            Watched watched = new Watched();
            AtomicInteger hooks = new AtomicInteger();
            AtomicLong pollsBetween = new AtomicLong(-1);
            Loops.on(loop, () -> loop.add(watched));
            Loops.on(loop, () -> {
                long polls = watched.polls.get();
                loop.atTurnEnd(() -> {
                    pollsBetween.set(watched.polls.get() - polls);
                    hooks.incrementAndGet();
                    loop.atTurnEnd(hooks::incrementAndGet);
                });
            });
            Await.until("the hook and the one it left have run", () -> hooks.get() == 2);
            Loops.on(loop, () -> loop.remove(watched));
            assertThat(pollsBetween).hasValue(0);
            assertThat(hooks).hasValue(2);
            watched.check();
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = Waiting.class,
            names = {"BALANCED", "FRUGAL"})
    default void sleepsWhenThereIsNothingToDo(Waiting waiting) throws Exception {
        with(waiting, loop -> {
            Watched watched = new Watched();
            Loops.on(loop, () -> loop.add(watched));
            for (int round = 0; round < 10; round++) {
                long naps = watched.naps.get();
                Loops.on(loop, () -> {});
                Await.until("the loop falls asleep after a task", () -> watched.naps.get() > naps);
            }
            Await.until("the loop rests: no poll for 50 ms", () -> {
                long polls = watched.polls.get();
                return !Await.within(Duration.ofMillis(50), () -> watched.polls.get() > polls);
            });
            Loops.on(loop, () -> loop.remove(watched));
            watched.check();
        });
    }

    @Test
    default void neverSleepsForTheShortestLatency() throws Exception {
        with(Waiting.LATENCY, loop -> {
            Watched watched = new Watched();
            Loops.on(loop, () -> loop.add(watched));
            Await.until("many polls", () -> watched.polls.get() > 10_000);
            assertThat(watched.naps).hasValue(0);
            Loops.on(loop, () -> loop.remove(watched));
            watched.check();
        });
    }

    /** Work that turns up in the moment of falling asleep. */
    @Test
    default void doesNotSleepWhenAskedNotTo() throws Exception {
        with(Waiting.FRUGAL, loop -> {
            AtomicInteger workLeft = new AtomicInteger(1_000);
            Watched restless = new Watched() {
                @Override
                boolean mayRest() {
                    return workLeft.decrementAndGet() <= 0;
                }
            };
            Watched sleepy = new Watched();
            Loops.on(loop, () -> {
                loop.add(sleepy);
                loop.add(restless);
            });
            Await.until("the loop asks again until it may rest", () -> workLeft.get() <= 0);
            Loops.on(loop, () -> {
                loop.remove(restless);
                loop.remove(sleepy);
            });
            restless.check();
            sleepy.check();
        });
    }

    @Test
    default void doesNotPollWhatWasRemovedAlsoInTheSameTurn() throws Exception {
        with(Waiting.BALANCED, loop -> {
            Watched[] both = {new Watched(), new Watched()};
            AtomicLong pollsOfOther = new AtomicLong(-1);
            Watched remover = new Watched() {
                @Override
                int work() {
                    if (pollsOfOther.get() < 0) {
                        pollsOfOther.set(both[0].polls.get() + both[1].polls.get());
                        loop.remove(both[0]);
                        loop.remove(both[1]);
                        loop.remove(this);
                    }
                    return 1;
                }
            };
            Loops.on(loop, () -> {
                loop.add(both[0]);
                loop.add(remover);
                loop.add(both[1]);
            });
            Await.until("the remover is polled", () -> pollsOfOther.get() >= 0);
            Loops.on(loop, () -> {});
            assertThat(both[0].polls.get() + both[1].polls.get()).isEqualTo(pollsOfOther.get());
            assertThat(remover.polls).hasValue(1);
        });
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    default void tasksGetTheirTurnBesideEndlessWork(Waiting waiting) throws Exception {
        with(waiting, loop -> {
            Watched busy = new Watched() {
                @Override
                int work() {
                    return 64;
                }
            };
            AtomicBoolean rang = new AtomicBoolean();
            Loops.on(loop, () -> loop.add(busy));
            Disposable timer = loop.schedule(() -> rang.set(true), Duration.ofMillis(5));
            for (int i = 0; i < 200; i++) {
                Loops.on(loop, () -> {});
            }
            Await.until("the timer rings", rang::get);
            timer.dispose();
            Loops.on(loop, () -> loop.remove(busy));
            busy.check();
        });
    }
}
