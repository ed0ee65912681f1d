package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Loop;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;

/** Tasks and timers run on the one thread of the loop, in order and once; it ends when they are done. */
interface TaskContract extends Loops {

    @ParameterizedTest
    @EnumSource(Waiting.class)
    default void isOneThreadWithAName(Waiting waiting) throws Exception {
        with(waiting, loop -> {
            assertThat(loop.name()).isEqualTo("contract-loop");
            assertThat(loop.inLoop()).isFalse();
            Thread first = End.call(loop, "loop", Thread::currentThread);
            assertThat(first.getName()).isEqualTo(loop.name());
            assertThat(End.<Boolean>call(loop, "loop", loop::inLoop)).isTrue();
            assertThat(End.<Thread>call(loop, "loop", Thread::currentThread)).isSameAs(first);
        });
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    default void runsTheTasksOfEachCallerInOrder(Waiting waiting) throws Exception {
        with(waiting, loop -> {
            List<List<Integer>> seen = new ArrayList<>();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int caller = 0; caller < 3; caller++) {
                List<Integer> mine = new ArrayList<>();
                seen.add(mine);
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 5_000; i++) {
                        int number = i;
                        loop.execute(() -> mine.add(number));
                    }
                }));
            }
            for (CompletableFuture<Void> caller : callers) {
                caller.get();
            }
            Loops.on(loop, () -> {});
            assertThat(seen).allSatisfy(mine -> assertThat(mine).hasSize(5_000).isSorted());
        });
    }

    @Test
    default void runsATaskLaterNotAtOnce() throws Exception {
        with(Waiting.BALANCED, loop -> {
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            Loops.on(loop, () -> {
                loop.execute(() -> order.add("inner"));
                order.add("outer");
            });
            Loops.on(loop, () -> {});
            assertThat(order).containsExactly("outer", "inner");
        });
    }

    @Test
    default void survivesTasksThatThrow() throws Exception {
        with(Waiting.BALANCED, loop -> {
            AtomicInteger ran = new AtomicInteger();
            loop.execute(() -> {
                ran.incrementAndGet();
                throw new End.Thrown();
            });
            var unused = loop.schedule(
                    () -> {
                        ran.incrementAndGet();
                        throw new End.Thrown();
                    },
                    Duration.ofMillis(1));
            Loops.on(
                    loop,
                    () -> loop.atTurnEnd(() -> {
                        ran.incrementAndGet();
                        throw new End.Thrown();
                    }));
            Await.until("all three run", () -> ran.get() == 3);
            Loops.on(loop, () -> {});
        });
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    default void runsTimersOnceAndNotBeforeTheirTime(Waiting waiting) throws Exception {
        with(waiting, loop -> {
            List<Long> early = Collections.synchronizedList(new ArrayList<>());
            AtomicInteger ran = new AtomicInteger();
            for (int millis : new int[] {30, 0, 5, 1, 5, 80}) {
                long due = System.nanoTime() + Duration.ofMillis(millis).toNanos();
                var unused = loop.schedule(
                        () -> {
                            if (System.nanoTime() - due < 0 || !loop.inLoop()) {
                                early.add(due - System.nanoTime());
                            }
                            ran.incrementAndGet();
                        },
                        Duration.ofMillis(millis));
            }
            Await.until("six timers run", () -> ran.get() == 6);
            Loops.on(loop, () -> {});
            assertThat(early).isEmpty();
            assertThat(ran).hasValue(6);
        });
    }

    @Test
    default void aDisposedTimerDoesNotRun() throws Exception {
        with(Waiting.BALANCED, loop -> {
            AtomicBoolean ran = new AtomicBoolean();
            AtomicBoolean later = new AtomicBoolean();
            Disposable never = loop.schedule(() -> ran.set(true), Duration.ofMillis(20));
            Disposable last = loop.schedule(() -> later.set(true), Duration.ofMillis(40));
            never.dispose();
            never.dispose();
            Await.until("the later timer runs", later::get);
            assertThat(ran).isFalse();
            assertThat(never.isDisposed()).isTrue();
            last.dispose();
        });
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    default void endsAfterTheTasksThatAreQueued(Waiting waiting) throws Exception {
        Loop loop = newLoop("contract-loop", waiting);
        AtomicInteger ran = new AtomicInteger();
        Thread thread = End.call(loop, "loop", Thread::currentThread);
        for (int i = 0; i < 1_000; i++) {
            loop.execute(ran::incrementAndGet);
        }
        Await.end(loop.close());
        assertThat(ran).hasValue(1_000);
        assertThat(thread.isAlive()).isFalse();
        assertThatThrownBy(() -> loop.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        Await.end(loop.close());
    }

    @Test
    default void mayBeClosedFromItsOwnThread() throws Exception {
        Loop loop = newLoop("contract-loop", Waiting.BALANCED);
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        loop.execute(() -> {
            var unused =
                    loop.close().subscribe(nothing -> {}, ended::completeExceptionally, () -> ended.complete(true));
        });
        Await.until("the loop has ended", ended::isDone);
        assertThat(ended.get()).isTrue();
    }
}
