package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

@Timeout(60)
class WorkersTest {

    private static final Object PEER = "peer";
    private static final Object IDENTITY = "identity";

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Workers workers = new Workers("test", 1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private Object untilInterrupted(Object value) {
        begun.countDown();
        try {
            Thread.sleep(LIMIT.toMillis());
        } catch (InterruptedException e) {
            interrupted.countDown();
        }
        return value;
    }

    private void expectRefusal(int outcome) {
        StepVerifier.create(workers.call(PEER, IDENTITY, () -> "never", value -> {}))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                Refusal.class, it -> assertThat(it.outcome()).isEqualTo(outcome)))
                .verify(LIMIT);
    }

    @Test
    void moreThanMayRunAreRefusedUntilOneEnds() throws InterruptedException {
        Disposable first = workers.call(PEER, IDENTITY, () -> untilInterrupted("late"), value -> {})
                .subscribe();
        begun.await();

        expectRefusal(CallLayout.BUSY);

        first.dispose();
        interrupted.await();
        StepVerifier.create(workers.call(PEER, IDENTITY, () -> "next", value -> {})
                        .retryWhen(reactor.util.retry.Retry.indefinitely()))
                .expectNext("next")
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void closedTheySayThatNothingIsServed() {
        workers.close();

        expectRefusal(CallLayout.REFUSED);
    }

    @Test
    void theThreadsOfAnotherAreUsedAndStayThere() {
        List<Runnable> handed = new ArrayList<>();
        Workers others = new Workers(handed::add, 1);
        StepVerifier.create(others.call(PEER, IDENTITY, () -> "value", value -> {}))
                .then(() -> StepVerifier.create(others.call(PEER, IDENTITY, () -> "never", value -> {}))
                        .expectErrorMatches(error -> error instanceof Refusal it && it.outcome() == CallLayout.BUSY)
                        .verify(LIMIT))
                .then(() -> handed.get(0).run())
                .expectNext("value")
                .expectComplete()
                .verify(LIMIT);
        StepVerifier.create(others.call(PEER, IDENTITY, () -> "begun", value -> {}))
                .then(others::close)
                .then(() -> handed.get(1).run())
                .expectNext("begun")
                .expectComplete()
                .verify(LIMIT);

        StepVerifier.create(others.call(PEER, IDENTITY, () -> "never", value -> {}))
                .expectErrorMatches(error -> error instanceof Refusal it && it.outcome() == CallLayout.REFUSED)
                .verify(LIMIT);
        assertThat(handed).hasSize(2);
    }

    @Test
    void whatAnotherRejectsMayBeRepeated() {
        AtomicBoolean full = new AtomicBoolean(true);
        Workers others = new Workers(
                task -> {
                    if (full.getAndSet(false)) {
                        throw new RejectedExecutionException("the queue is full");
                    }
                    task.run();
                },
                1);
        StepVerifier.create(others.call(PEER, IDENTITY, () -> "never", value -> {}))
                .expectErrorSatisfies(error -> assertThat(error)
                        .hasMessageContaining("the queue is full")
                        .isInstanceOfSatisfying(
                                Refusal.class, it -> assertThat(it.outcome()).isEqualTo(CallLayout.BUSY)))
                .verify(LIMIT);
        StepVerifier.create(others.call(PEER, IDENTITY, () -> "value", value -> {}))
                .expectNext("value")
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void whatComesBehindTheCancelIsReleased() throws InterruptedException {
        ByteBuf value = Unpooled.buffer(8);
        CountDownLatch released = new CountDownLatch(1);
        Disposable call = workers.call(PEER, IDENTITY, () -> untilInterrupted(value), unwanted -> {
                    ((ByteBuf) unwanted).release();
                    released.countDown();
                })
                .subscribe();
        begun.await();

        call.dispose();

        assertThat(released.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(value.refCnt()).isZero();
    }

    @Test
    void nothingRunsBeforeItIsAskedFor() {
        AtomicBoolean ran = new AtomicBoolean();
        StepVerifier.create(
                        workers.call(
                                PEER,
                                IDENTITY,
                                () -> {
                                    ran.set(true);
                                    return "value";
                                },
                                value -> {}),
                        0)
                .expectSubscription()
                .then(() -> assertThat(ran).isFalse())
                .thenRequest(1)
                .expectNext("value")
                .expectComplete()
                .verify(LIMIT);
    }
}
