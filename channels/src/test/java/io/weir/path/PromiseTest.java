package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class PromiseTest {

    private final List<Promise<Integer>> begun = new ArrayList<>();
    private final List<Integer> unwanted = new ArrayList<>();
    private final Mono<Integer> mono = Promise.mono(begun::add, unwanted::add);

    @Test
    void beginsAnewWithEachSubscription() {
        StepVerifier.create(mono)
                .then(() -> begun.get(0).success(1))
                .expectNext(1)
                .verifyComplete();
        StepVerifier.create(mono)
                .then(() -> begun.get(1).error(new IllegalStateException("no")))
                .verifyErrorMessage("no");
        assertThat(unwanted).isEmpty();
    }

    @Test
    void keepsTheValueUntilItIsRequested() {
        StepVerifier.create(mono, 0)
                .then(() -> begun.get(0).success(1))
                .expectNoEvent(Duration.ofMillis(1))
                .thenRequest(1)
                .expectNext(1)
                .verifyComplete();
    }

    @Test
    void aValueThatNobodyRequestsIsGivenBack() {
        StepVerifier.create(mono, 0)
                .then(() -> begun.get(0).success(1))
                .thenCancel()
                .verify();

        assertThat(unwanted).containsExactly(1);
    }

    @Test
    void whoCancelsIsNotToldAnyMore() {
        AtomicInteger cancels = new AtomicInteger();
        StepVerifier.create(mono)
                .then(() -> begun.get(0).onCancel(cancels::incrementAndGet))
                .thenCancel()
                .verify();

        assertThat(cancels).hasValue(1);
        begun.get(0).onCancel(cancels::incrementAndGet);
        assertThat(cancels).hasValue(2);
        begun.get(0).success(1);
        begun.get(0).error(new IllegalStateException("nobody's"));
        assertThat(unwanted).containsExactly(1);
    }

    @Test
    void aCancelAfterTheOutcomeIsNone() {
        AtomicInteger cancels = new AtomicInteger();
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {};
        Promise.<Integer>mono(
                        outcome -> {
                            outcome.onCancel(cancels::incrementAndGet);
                            outcome.success(1);
                        },
                        unwanted::add)
                .doOnNext(value -> subscriber.cancel())
                .subscribe(subscriber);

        assertThat(cancels).hasValue(0);
        assertThat(unwanted).isEmpty();
    }

    @Test
    void whatCannotBeginFails() {
        StepVerifier.create(Promise.mono(
                        outcome -> {
                            throw new IllegalStateException("no");
                        },
                        value -> {}))
                .verifyErrorMessage("no");
    }

    /** Whoever wins, the value has one owner. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aValueThatMeetsTheCancel() throws Exception {
        AtomicInteger owners = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(2);
        int rounds = 20_000;
        Subscription[] subscriptions = new Subscription[1];
        Thread canceller = new Thread(() -> {
            for (int round = 0; round < rounds; round++) {
                meet(together);
                subscriptions[0].cancel();
                meet(together);
            }
        });
        canceller.start();
        for (int round = 0; round < rounds; round++) {
            begun.clear();
            Promise.<Integer>mono(begun::add, value -> owners.incrementAndGet()).subscribe(new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscriptions[0] = subscription;
                    subscription.request(1);
                }

                @Override
                protected void hookOnNext(Integer value) {
                    owners.incrementAndGet();
                }
            });
            meet(together);
            begun.get(0).success(round);
            meet(together);
            assertThat(owners).hasValue(round + 1);
        }
        canceller.join();
    }

    private static void meet(CyclicBarrier together) {
        try {
            var unused = together.await(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
