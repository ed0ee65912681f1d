package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Loop;
import io.weir.core.Pollable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class NextTurnTest {

    private final ManualLoop loop = new ManualLoop();
    private final List<String> done = new ArrayList<>();

    @Test
    void aTaskOfATurnRunsInTheNextOne() {
        loop.execute(() -> {
            NextTurn.run(loop, () -> done.add("next"));
            loop.execute(() -> done.add("this"));
        });
        assertThat(loop.turn()).isTrue();
        assertThat(done).containsExactly("this");
        assertThat(loop.turn()).isTrue();
        assertThat(done).containsExactly("this", "next");
        assertThat(loop.turn()).isFalse();
    }

    @Test
    void whatGoesOnAndOnLetsTheLoopTurn() {
        Runnable again = new Runnable() {
            @Override
            public void run() {
                done.add("again");
                if (done.size() < 100) {
                    NextTurn.run(loop, this);
                }
            }
        };
        NextTurn.run(loop, again);
        for (int i = 0; i < 5; i++) {
            assertThat(loop.turn()).isTrue();
        }
        // The first turn has only queued it.
        assertThat(done).hasSize(4);
    }

    @Test
    void tasksOfOneTurnKeepTheirOrder() {
        for (String each : List.of("a", "b", "c")) {
            NextTurn.run(loop, () -> done.add(each));
        }
        loop.settle();
        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void theTaskOfAnotherThreadRunsOnTheLoop() throws InterruptedException {
        List<Thread> ran = new ArrayList<>();
        Thread other = new Thread(() -> NextTurn.run(loop, () -> ran.add(Thread.currentThread())));
        other.start();
        other.join();
        assertThat(ran).isEmpty();
        assertThat(loop.turn()).isTrue();
        assertThat(ran).containsExactly(Thread.currentThread());
    }

    /** What was left there is still done: somebody may wait for it. */
    @Test
    void whereTheLoopHasEndedTheTaskRunsHere() {
        NextTurn.run(new EndedLoop(false), () -> done.add("elsewhere"));
        assertThat(done).containsExactly("elsewhere");
        NextTurn.run(new EndedLoop(true), () -> done.add("in its last turn"));
        assertThat(done).containsExactly("elsewhere", "in its last turn");
    }

    /** Takes no tasks; its last turn ends at once. */
    private record EndedLoop(boolean inLoop) implements Loop {

        @Override
        public String name() {
            return "ended";
        }

        @Override
        public void execute(Runnable task) {
            throw new RejectedExecutionException("the loop has ended");
        }

        @Override
        public void atTurnEnd(Runnable hook) {
            assertThat(inLoop).isTrue();
            hook.run();
        }

        @Override
        public Disposable schedule(Runnable task, Duration delay) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void add(Pollable pollable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void remove(Pollable pollable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Disposable watch(int descriptor, Runnable onReadable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Mono<Void> close() {
            return Mono.empty();
        }
    }
}
