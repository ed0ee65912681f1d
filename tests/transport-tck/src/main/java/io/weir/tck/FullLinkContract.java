package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A link that is full says no, keeps nothing, says when there is room, and goes on receiving. */
interface FullLinkContract extends LinkPairs {

    /** More than any link may hold between two loops, the system's socket buffers included. */
    long MOST_UNDER_WAY = 64 << 20;

    /** So long nothing moves, then it is at a standstill: too short a time on a busy machine only weakens the test. */
    Duration STANDSTILL = Duration.ofMillis(200);

    @Test
    default void saysNoWhenTheOtherSideStandsStill() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("full", Math.min(pair.maxFrame(), 16_000));
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            Pump pump = pair.first.pump(stream, Long.MAX_VALUE);
            long taken = awaitStandstill(pair.first, pump, 16_000);
            goOn.run();
            Await.until("frames flow again", () -> pump.taken() > taken);
            pair.second.awaitReceived(pair.first.call(pump::finish));
            assertThat(pair.first.writables()).isBetween(1L, pair.first.refusals());
            assertThat(pump.uselessCalls())
                    .as("calls of writable() without room")
                    .isLessThan(1000 + pump.taken());
        }
    }

    @Test
    default void holdsABoundedAmountForAHandlerThatComesLate() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("late", pair.maxFrame());
            pair.first.receive(frame -> {});
            Pump pump = pair.first.pump(stream, Long.MAX_VALUE);
            long average = MOST_UNDER_WAY / stream.count(MOST_UNDER_WAY, 1, Long.MAX_VALUE);
            long taken = awaitStandstill(pair.first, pump, average);
            long count = pair.first.call(pump::finish);
            assertThat(count).isGreaterThan(taken);
            pair.second.expect(stream);
            pair.second.awaitReceived(count);
        }
    }

    /**
     * Waits until the link takes nothing more, which it must before it holds too much; returns how many frames it took.
     */
    static long awaitStandstill(End end, Pump pump, long bytesEach) {
        Await.until("a no", () -> end.refusals() > 0 || pump.taken() * bytesEach > MOST_UNDER_WAY);
        long[] taken = {-1};
        do {
            taken[0] = pump.taken();
            assertThat(taken[0] * bytesEach)
                    .as("bytes taken though nobody receives")
                    .isLessThan(MOST_UNDER_WAY);
        } while (Await.within(STANDSTILL, () -> pump.taken() != taken[0]));
        end.check();
        return taken[0];
    }

    @Test
    default void takesNothingWhenItSaysNo() throws Exception {
        try (LinkPair pair = open()) {
            int size = Math.min(pair.maxFrame(), 16_000);
            pair.second.receive(
                    frame -> assertThat(Noise.equal(frame.aux(), frame.body())).isTrue());
            pair.first.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            long taken = pair.first.call(() -> fillUntilRefused(pair.first, size));
            goOn.run();
            pair.second.awaitReceived(taken);
        }
    }

    private static long fillUntilRefused(End end, int size) {
        Frame frame = new Frame();
        byte[] control = {1, 2, 3};
        for (int number = 0; ; number++) {
            ByteBuf body = end.bodies.tracked(number & 0xff, size - control.length);
            if (!end.offer(frame.set(FrameKind.NEXT, 5, 7, number & 0xff)
                    .words(11, 13)
                    .control(control)
                    .body(body))) {
                assertThat(body.refCnt())
                        .as("references to a body that was not taken")
                        .isEqualTo(2);
                assertThat(body.readableBytes()).isEqualTo(size - control.length);
                assertThat(frame.body()).isSameAs(body);
                assertThat(frame.control()).isSameAs(control).containsExactly(1, 2, 3);
                assertThat(frame.kind()).isEqualTo(FrameKind.NEXT);
                assertThat(frame.flags()).isEqualTo(5);
                body.release();
                return number;
            }
            assertThat((long) number * size).as("bytes taken within one turn").isLessThan(MOST_UNDER_WAY);
        }
    }

    @Test
    default void saysThatThereIsRoomEachTime() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("rounds", pair.maxFrame());
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            Pump pump = pair.first.pump(stream, Long.MAX_VALUE);
            for (int round = 0; round < 25; round++) {
                Runnable goOn = pair.second.stop();
                Await.until("a no in round " + round, pump::isWaiting);
                long taken = pump.taken();
                goOn.run();
                Await.until("room in round " + round, () -> pump.taken() > taken);
            }
            pair.second.awaitReceived(pair.first.call(pump::finish));
        }
    }

    @Test
    default void bothSidesFullStillReceive() throws Exception {
        try (LinkPair pair = open()) {
            int size = Math.min(pair.maxFrame(), 128 << 10);
            FrameStream there = FrameStream.uniform("full there", size);
            FrameStream back = FrameStream.uniform("full back", size);
            long count = (32L << 20) / size;
            CountDownLatch bothFull = new CountDownLatch(2);
            pair.first.expect(back);
            pair.second.expect(there);
            Pump pumpThere = fillWhileTheOtherFills(pair.first, there, count, bothFull);
            Pump pumpBack = fillWhileTheOtherFills(pair.second, back, count, bothFull);
            pair.first.awaitReceived(count);
            pair.second.awaitReceived(count);
            Await.until("both pumps know that all has been taken", () -> pumpThere.done() && pumpBack.done());
        }
    }

    /** Offers until the link says no, and does not let the loop receive before the other side has done the same. */
    private static Pump fillWhileTheOtherFills(End end, FrameStream stream, long count, CountDownLatch bothFull) {
        Pump pump = new Pump(end, stream, count);
        end.loop.execute(() -> end.guard(() -> {
            end.attach(pump);
            while (!pump.done() && !pump.isWaiting()) {
                pump.more();
            }
            bothFull.countDown();
            try {
                assertThat(bothFull.await(Await.patience().toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        return pump;
    }

    @Test
    default void tasksAndTimersRunDuringAFlood() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("flood", 100);
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            Pump pump = pair.first.pump(stream, Long.MAX_VALUE);
            pair.second.awaitSome(1000);
            AtomicInteger steps = new AtomicInteger();
            AtomicInteger ticks = new AtomicInteger();
            chain(pair.second, steps, 300);
            tick(pair.second, ticks, 10);
            pair.first.pass(100);
            Await.until(
                    () -> "300 tasks and 10 timers run although frames flood in: " + steps + ", " + ticks,
                    () -> steps.get() == 300 && ticks.get() == 10);
            pair.second.awaitReceived(pair.first.call(pump::finish));
        }
    }

    private static void chain(End end, AtomicInteger steps, int last) {
        end.loop.execute(() -> {
            if (steps.incrementAndGet() < last) {
                chain(end, steps, last);
            }
        });
    }

    private static void tick(End end, AtomicInteger ticks, int last) {
        var unused = end.loop.schedule(
                () -> {
                    if (ticks.incrementAndGet() < last) {
                        tick(end, ticks, last);
                    }
                },
                Duration.ofMillis(1));
    }
}
