package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Codec;
import io.weir.core.Message;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ValueMemory;
import io.weir.memory.MemoryAccount;
import io.weir.memory.MemoryUse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class DecodingTest {

    private static final long TOTAL = 64 << 20;
    /** What a huge value takes beyond its message. */
    private static final long HUGE = 300_000;

    private final LeftTasks loop = new LeftTasks();
    private final MemoryAccount account = new MemoryAccount(TOTAL, TOTAL);
    private final LongValues longValues =
            new LongValues(new PeerId(new UUID(0, 1), "peer", 1), loop::execute, account.share("peer"));
    private final List<Message> messages = new ArrayList<>();
    /** What has come of them, in order. */
    private final List<String> happened = new ArrayList<>();
    /** The values that are read while this is closed wait. */
    private volatile CountDownLatch gate = new CountDownLatch(0);

    private Message brief(String text) {
        Message message = Message.of(text);
        messages.add(message);
        return message;
    }

    /** Of the same value as one that is brief. */
    private Message lengthy(String text) {
        return brief(text + ".".repeat(LongValues.SHORT));
    }

    private final Codec<String> codec = new Codec<>() {
        @Override
        public ByteBuf encode(String value, ByteBufAllocator allocator) {
            throw new UnsupportedOperationException();
        }

        // Some codecs make null of a message, though they must not.
        @SuppressWarnings("NullAway")
        @Override
        public String decode(ByteBuf payload) {
            try {
                assertThat(gate.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            String text = payload.toString(StandardCharsets.UTF_8).replaceAll("\\.+$", "");
            if (text.startsWith("bad")) {
                throw new ProtocolMismatch(text + " is no value");
            }
            return text.equals("null") ? null : text;
        }

        @Override
        public String decode(ByteBuf payload, ValueMemory memory) {
            memory.use(payload.readableBytes() + MemoryAccount.ITEM + HUGE);
            return decode(payload);
        }
    };

    /** Where the test's messages come from. */
    private final class Incoming extends Flux<Message> implements Subscription, Decoding.Source {

        private @Nullable CoreSubscriber<? super Message> subscriber;
        long requested;

        @Override
        public void subscribe(CoreSubscriber<? super Message> actual) {
            subscriber = actual;
            actual.onSubscribe(this);
        }

        CoreSubscriber<? super Message> to() {
            return Objects.requireNonNull(subscriber);
        }

        @Override
        public void request(long n) {
            requested += n;
        }

        @Override
        public void cancel() {
            happened.add("cancelled");
        }

        @Override
        public void pause(boolean whether) {
            happened.add(whether ? "paused" : "goes on");
        }

        @Override
        public void subscriberFailed(Throwable error) {
            happened.add("subscriber failed: " + error.getMessage());
        }
    }

    /** Who gets the values. */
    private final class Taker implements CoreSubscriber<String> {

        private @Nullable Subscription subscription;

        @Override
        public void onSubscribe(Subscription its) {
            subscription = its;
        }

        Subscription subscription() {
            return Objects.requireNonNull(subscription);
        }

        @Override
        public void onNext(String value) {
            if (value.equals("disliked")) {
                throw new IllegalStateException("not this one");
            }
            happened.add("value " + value);
        }

        @Override
        public void onError(Throwable error) {
            happened.add("error " + error.getMessage());
        }

        @Override
        public void onComplete() {
            happened.add("complete");
        }
    }

    private final Incoming incoming = new Incoming();
    private final Taker taker = new Taker();

    private CoreSubscriber<? super Message> values(@Nullable Consumer<Message> first) {
        Decoding.values(incoming, incoming, longValues, codec, first).subscribe(taker);
        return incoming.to();
    }

    private long inAccount(MemoryUse use) {
        return account.stats().uses().getOrDefault(use, 0L);
    }

    @AfterEach
    void nothingIsKept() {
        loop.assertNothingIsLeft();
        assertThat(messages).isNotEmpty().allMatch(message -> message.refCnt() == 0);
        assertThat(account.stats().uses().values()).containsOnly(0L);
        assertThat(account.lent()).isZero();
    }

    @Test
    void shortMessagesAreValuesAtOnce() {
        CoreSubscriber<? super Message> to = values(null);
        taker.subscription().request(3);
        assertThat(incoming.requested).isEqualTo(3);
        to.onNext(brief("one"));
        to.onNext(brief("two"));
        assertThat(happened).containsExactly("value one", "value two");
        to.onComplete();
        assertThat(happened).endsWith("complete");
    }

    @Test
    void aLongOneHoldsBackWhatFollowsUntilItsValueIsThere() throws InterruptedException {
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(lengthy("long"));
        assertThat(happened).containsExactly("paused");
        assertThat(inAccount(MemoryUse.LONG_MESSAGES)).isGreaterThanOrEqualTo(LongValues.SHORT);
        loop.runNext();
        assertThat(happened).containsExactly("paused", "value long", "goes on");
    }

    @Test
    void theEndComesBehindTheLongValueThatIsBeingRead() throws InterruptedException {
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(lengthy("long"));
        to.onError(new IllegalStateException("lost"));
        assertThat(happened).containsExactly("paused");
        loop.runNext();
        assertThat(happened).containsExactly("paused", "value long", "error lost");
    }

    @Test
    void theFirstMessageGoesAsItIsToWhoWantsIt() {
        CoreSubscriber<? super Message> to = values(message -> {
            happened.add("first of " + message.size() + " bytes");
            message.release();
        });
        to.onNext(lengthy("head"));
        to.onNext(brief("value"));
        assertThat(happened).containsExactly("first of " + (4 + LongValues.SHORT) + " bytes", "value value");
    }

    @Test
    void whatIsNoValueEndsTheStreamAndWhatFollowsIsReleased() {
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(brief("bad"));
        assertThat(happened).containsExactlyInAnyOrder("cancelled", "error bad is no value");
        to.onNext(brief("late"));
        to.onNext(lengthy("late"));
        to.onComplete();
        assertThat(happened).hasSize(2);
    }

    @Test
    void aLongOneThatIsNoValueEndsTheStreamOnTheLoop() throws InterruptedException {
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(lengthy("null"));
        to.onComplete();
        assertThat(happened).containsExactly("paused");
        loop.runNext();
        assertThat(happened).contains("cancelled", "error the codec has made null of a message");
        assertThat(happened).doesNotContain("complete");
    }

    @Test
    void theSourceHearsOfASubscriberThatFailsWithALongValue() throws InterruptedException {
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(lengthy("disliked"));
        loop.runNext();
        assertThat(happened).contains("subscriber failed: not this one");
    }

    @Test
    void whoCancelsGetsNothingMore() throws InterruptedException {
        gate = new CountDownLatch(1);
        CoreSubscriber<? super Message> to = values(null);
        to.onNext(lengthy("long"));
        taker.subscription().cancel();
        assertThat(happened).containsExactly("paused", "cancelled");
        gate.countDown();
        loop.runNext();
        assertThat(happened).containsExactly("paused", "cancelled");
    }

    @Test
    void whoCancelsBeforeItsTurnLeavesNothingToBeRead() throws InterruptedException {
        gate = new CountDownLatch(1);
        Disposable other = Decoding.value(longValues, Mono.just(lengthy("other")), codec)
                .subscribe(value -> happened.add("other " + value));
        values(null).onNext(lengthy("bad"));
        taker.subscription().cancel();
        assertThat(messages.get(1).refCnt()).isZero();
        gate.countDown();
        loop.runNext();
        assertThat(happened).containsExactly("paused", "cancelled", "other other");
        assertThat(other.isDisposed()).isTrue();
    }

    @Test
    void anAnswerIsAValueWhetherShortOrLong() throws InterruptedException {
        Decoding.value(longValues, Mono.just(brief("short")), codec).subscribe(taker);
        taker.subscription().request(1);
        assertThat(happened).containsExactly("value short", "complete");
        Decoding.value(longValues, Mono.just(lengthy("long")), codec).subscribe(taker);
        taker.subscription().request(1);
        assertThat(happened).hasSize(2);
        loop.runNext();
        assertThat(happened).endsWith("value long", "complete");
    }

    @Test
    void whatARequestTakesIsHeldUntilItIsAnswered() {
        Sinks.One<String> answer = Sinks.one();
        Decoding.one(longValues, brief("huge"), codec, value -> {
                    happened.add("handles " + value);
                    return answer.asMono();
                })
                .subscribe(taker);
        assertThat(happened).containsExactly("handles huge");
        taker.subscription().request(1);
        assertThat(inAccount(MemoryUse.REQUESTS)).isEqualTo(HUGE);
        answer.emitValue("done", Sinks.EmitFailureHandler.FAIL_FAST);
        assertThat(happened).endsWith("value done", "complete");
    }

    @Test
    void aRequestThatFailsLeavesNothing() {
        assertThatThrownBy(() -> Decoding.one(longValues, brief("bad"), codec, Mono::just))
                .isInstanceOf(ProtocolMismatch.class);
        assertThatThrownBy(() -> Decoding.many(longValues, brief("good"), codec, value -> {
                    throw new IllegalStateException("the handler has failed");
                }))
                .hasMessage("the handler has failed");
    }

    @Test
    void theHandlerOfALongRequestIsCalledOnTheLoop() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        Decoding.one(longValues, lengthy("long"), codec, value -> {
                    threads.add(Thread.currentThread());
                    assertThat(inAccount(MemoryUse.REQUESTS)).isEqualTo(HUGE);
                    return Mono.just("answer to " + value);
                })
                .subscribe(taker);
        taker.subscription().request(1);
        assertThat(inAccount(MemoryUse.LONG_MESSAGES)).as("the account has it").isZero();
        assertThat(threads).isEmpty();
        loop.runNext();
        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(happened).containsExactly("value answer to long", "complete");
    }

    @Test
    void aLongRequestThatWasGivenUpIsNotHandled() throws InterruptedException {
        gate = new CountDownLatch(1);
        Disposable first = Decoding.one(longValues, lengthy("one"), codec, value -> {
                    happened.add("handles " + value);
                    return Mono.never();
                })
                .subscribe();
        Disposable second = Decoding.many(longValues, lengthy("two"), codec, value -> {
                    happened.add("handles " + value);
                    return Flux.never();
                })
                .subscribe();
        second.dispose();
        assertThat(messages.get(1).refCnt()).isZero();
        first.dispose();
        gate.countDown();
        loop.runNext();
        assertThat(happened).isEmpty();
    }

    @Test
    void allThatAHandlerYieldsComesAndItsRequestCountsMeanwhile() throws InterruptedException {
        Message request = lengthy("long");
        Sinks.Many<String> items = Sinks.many().unicast().onBackpressureBuffer();
        Decoding.many(longValues, request, codec, value -> items.asFlux()).subscribe(taker);
        taker.subscription().request(10);
        assertThat(inAccount(MemoryUse.LONG_MESSAGES)).isEqualTo(LongValues.SHORT + 4);
        loop.runNext();
        items.emitNext("a", Sinks.EmitFailureHandler.FAIL_FAST);
        items.emitNext("b", Sinks.EmitFailureHandler.FAIL_FAST);
        assertThat(happened).containsExactly("value a", "value b");
        assertThat(inAccount(MemoryUse.REQUESTS)).isEqualTo(HUGE);
        items.emitComplete(Sinks.EmitFailureHandler.FAIL_FAST);
        assertThat(happened).endsWith("complete");
    }
}
