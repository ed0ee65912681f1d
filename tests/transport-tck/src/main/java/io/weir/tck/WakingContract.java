package io.weir.tck;

import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Whoever sleeps is woken by whatever comes, also in the moment of falling asleep. */
interface WakingContract extends LinkPairs {

    @Test
    default void wakesFromDeepSleepOnEitherSide() throws Exception {
        SplittableRandom random = Seed.random("deep sleep");
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("alarm", 20);
            pair.first.expect(stream);
            pair.second.expect(stream);
            Pump there = pair.first.pump(stream, 0);
            Pump back = pair.second.pump(stream, 0);
            for (int round = 0; round < 300; round++) {
                End from = random.nextBoolean() ? pair.first : pair.second;
                End to = from == pair.first ? pair.second : pair.first;
                Pump pump = from == pair.first ? there : back;
                long next = to.received() + 1;
                LockSupport.parkNanos(random.nextInt(3_000_000)); // lets both loops sleep more or less deeply
                from.run(() -> pump.upTo(next));
                to.awaitReceived(next);
            }
        }
    }

    /** Each answer takes about as long as a loop takes to fall asleep, so that many frames come in that moment. */
    @Test
    default void wakesInTheMomentOfFallingAsleep() throws Exception {
        try (LinkPair pair = open()) {
            int rounds = Effort.of(20_000);
            ball(pair.second, Seed.random("there"), rounds);
            ball(pair.first, Seed.random("back"), rounds);
            pair.first.run(() -> hit(pair.first));
            pair.second.awaitReceived(rounds);
            pair.first.awaitReceived(rounds);
        }
    }

    private static void ball(End end, SplittableRandom random, int rounds) {
        boolean serves = end.name.contains("first");
        end.receive(frame -> {
            if (end.received() < rounds || !serves) {
                dawdle(random.nextInt(30_000));
                hit(end);
            }
        });
    }

    private static void hit(End end) {
        if (!end.offer(new Frame().set(FrameKind.DATA, 0, 1, 0))) {
            throw new AssertionError("no room for a single frame");
        }
    }

    private static void dawdle(int nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    default void tasksWakeTheLoop() throws Exception {
        SplittableRandom random = Seed.random("tasks");
        try (LinkPair pair = open()) {
            for (int round = 0; round < Effort.of(3_000); round++) {
                dawdle(random.nextInt(40_000));
                pair.first.pass(1);
                pair.second.pass(1);
            }
        }
    }
}
