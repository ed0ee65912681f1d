package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

class LongValuesTest {

    private static final long TOTAL = 64 << 20;

    private final LeftTasks loop = new LeftTasks();
    private final MemoryAccount account = new MemoryAccount(TOTAL, TOTAL);
    private final LongValues values =
            new LongValues(new PeerId(new UUID(0, 1), "peer", 1), loop::execute, account.share("peer"));
    private final List<Message> messages = new ArrayList<>();
    private final Queue<String> decoded = new ConcurrentLinkedQueue<>();
    private final List<String> outcomes = new ArrayList<>();

    /** Makes of a payload what the test says, of the memory for its value as well. */
    private abstract class Reads implements Codec<String> {

        abstract @Nullable String of(String text, ValueMemory memory) throws Exception;

        @Override
        public ByteBuf encode(String value, ByteBufAllocator allocator) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String decode(ByteBuf payload) {
            return decode(payload, ValueMemory.UNLIMITED);
        }

        // Some codecs make null of a message, though they must not.
        @SuppressWarnings("NullAway")
        @Override
        public String decode(ByteBuf payload, ValueMemory memory) {
            try {
                String text = payload.toString(StandardCharsets.UTF_8);
                decoded.add(text);
                return of(text, memory);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final Codec<String> plain = new Reads() {
        @Override
        String of(String text, ValueMemory memory) {
            return text;
        }
    };

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Each waits for the latch. */
    private Codec<String> behind(CountDownLatch latch) {
        return new Reads() {
            @Override
            String of(String text, ValueMemory memory) throws InterruptedException {
                await(latch);
                return text;
            }
        };
    }

    private Disposable read(String text, long cost, Codec<String> codec) {
        Message message = Message.of(text);
        messages.add(message);
        return values.read(
                message, cost, codec, (value, error) -> outcomes.add(error == null ? "value " + value : "" + error));
    }

    private long inAccount() {
        return account.stats().uses().getOrDefault(MemoryUse.LONG_MESSAGES, 0L);
    }

    @AfterEach
    void nothingIsKept() {
        loop.assertNothingIsLeft();
        assertThat(messages).isNotEmpty().allMatch(message -> message.refCnt() == 0);
        assertThat(inAccount()).isZero();
        assertThat(account.lent()).isZero();
    }

    @Test
    void aValueIsReadOnAnotherThreadAndComesOnTheLoop() throws InterruptedException {
        AtomicReference<Thread> readBy = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        Disposable reading = read("a", 0, new Reads() {
            @Override
            String of(String text, ValueMemory memory) {
                readBy.set(Thread.currentThread());
                done.countDown();
                return text;
            }
        });
        await(done);
        assertThat(readBy.get()).isNotNull().isNotSameAs(Thread.currentThread());
        assertThat(outcomes).isEmpty();
        assertThat(reading.isDisposed()).isFalse();
        loop.runNext();
        assertThat(outcomes).containsExactly("value a");
        assertThat(reading.isDisposed()).isTrue();
    }

    @Test
    void theyAreReadOneAtATimeAndComeInTheirOrder() throws InterruptedException {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Codec<String> slow = new Reads() {
            @Override
            String of(String text, ValueMemory memory) {
                most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                // Some work, so that others would be seen.
                assertThat(text.repeat(1_000_000).hashCode()).isNotZero();
                atOnce.decrementAndGet();
                return text;
            }
        };
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            var unused = read("value" + i, 0, slow);
            expected.add("value value" + i);
        }
        for (int i = 0; i < 20; i++) {
            // The next one is not begun before this one was handed over.
            assertThat(decoded).hasSizeLessThanOrEqualTo(i + 1);
            loop.runNext();
        }
        assertThat(outcomes).containsExactlyElementsOf(expected);
        assertThat(most).hasValue(1);
    }

    /** Also what Reactor calls fatal: somebody waits for the outcome. */
    @Test
    void whyThereIsNoValueIsSaidAndTheNextOneIsRead() throws InterruptedException {
        Codec<String> failing = new Reads() {
            @Override
            @Nullable
            String of(String text, ValueMemory memory) {
                return switch (text) {
                    case "bad" -> throw new ProtocolMismatch("no value");
                    case "deep" -> throw new StackOverflowError("too deep");
                    default -> null;
                };
            }
        };
        for (String each : List.of("bad", "deep", "null")) {
            var unused = read(each, 10, failing);
        }
        var unused = read("good", 10, plain);
        for (int i = 0; i < 4; i++) {
            loop.runNext();
        }
        assertThat(outcomes).hasSize(4).endsWith("value good");
        assertThat(outcomes.get(0)).contains("no value");
        assertThat(outcomes.get(1)).contains("too deep");
        assertThat(outcomes.get(2)).contains("the codec has made null");
    }

    @Test
    void whatTheAccountDoesNotHaveYetIsTakenUntilTheValueIsThere() throws InterruptedException {
        var unused = read("a", 100_000, plain);
        unused = read("b", 20_000, plain);
        assertThat(inAccount()).isEqualTo(120_000);
        loop.runNext();
        assertThat(inAccount()).isEqualTo(20_000);
        assertThat(account.lent()).isZero();
        loop.runNext();
        assertThat(outcomes).hasSize(2);
    }

    /** It is here already, so it is read nevertheless. */
    @Test
    void whatIsMoreThanThePeerMayKeepCountsAsLent() throws InterruptedException {
        var unused = read("a", TOTAL, plain);
        assertThat(account.lent()).isEqualTo(TOTAL);
        loop.runNext();
        assertThat(outcomes).containsExactly("value a");
    }

    @Test
    void whatAValueTakesBeyondItsMessageIsHeldUntilItsReaderHasIt() throws InterruptedException {
        Message message = Message.of("a");
        messages.add(message);
        long covered = MessageCost.of(message) + MemoryAccount.ITEM;
        List<Long> whileRead = new ArrayList<>();
        Codec<String> large = new Reads() {
            @Override
            String of(String text, ValueMemory memory) {
                memory.use(covered);
                memory.use(50_000);
                return text;
            }
        };
        var unused = values.read(message, 0, large, (value, error) -> {
            outcomes.add("value " + value);
            whileRead.add(inAccount());
        });
        loop.runNext();
        assertThat(outcomes).containsExactly("value a");
        assertThat(whileRead).containsExactly(50_000L);
    }

    @Test
    void whatNobodyWantsAnyMoreIsNotRead() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Codec<String> behindGo = behind(go);
        var unused = read("a", 10, behindGo);
        Disposable unwanted = read("b", 20, behindGo);
        unused = read("c", 30, behindGo);
        unwanted.dispose();
        assertThat(messages.get(1).refCnt()).isZero();
        assertThat(inAccount()).isEqualTo(40);
        unwanted.dispose();
        go.countDown();
        loop.runNext();
        loop.runNext();
        assertThat(decoded).containsExactly("a", "c");
        assertThat(outcomes).containsExactly("value a", "value c");
    }

    @Test
    void whatIsBeingReadIsReadToItsEndThoughNobodyGetsIt() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Disposable reading = read("a", 10, behind(go));
        reading.dispose();
        assertThat(reading.isDisposed()).isTrue();
        assertThat(messages.get(0).refCnt()).isOne();
        go.countDown();
        loop.runNext();
        assertThat(decoded).containsExactly("a");
        assertThat(outcomes).isEmpty();
    }
}
