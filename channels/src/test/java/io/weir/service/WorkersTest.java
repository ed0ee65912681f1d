package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

@Timeout(60)
class WorkersTest {

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
        StepVerifier.create(workers.call(() -> "never", value -> {}))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                Refusal.class, it -> assertThat(it.outcome()).isEqualTo(outcome)))
                .verify(LIMIT);
    }

    @Test
    void moreThanMayRunAreRefusedUntilOneEnds() throws InterruptedException {
        Disposable first =
                workers.call(() -> untilInterrupted("late"), value -> {}).subscribe();
        begun.await();

        expectRefusal(CallLayout.BUSY);

        first.dispose();
        interrupted.await();
        StepVerifier.create(workers.call(() -> "next", value -> {}).retryWhen(reactor.util.retry.Retry.indefinitely()))
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
    void whatComesBehindTheCancelIsReleased() throws InterruptedException {
        ByteBuf value = Unpooled.buffer(8);
        CountDownLatch released = new CountDownLatch(1);
        Disposable call = workers.call(() -> untilInterrupted(value), unwanted -> {
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
