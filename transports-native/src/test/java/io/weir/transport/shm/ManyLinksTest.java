package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PendingLink;
import io.weir.core.SessionLost;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.loop.OnLoop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Many links between two loops, most of which become quiet: nothing is lost, and nobody waits for long. */
@Timeout(120)
@ExtendWith(NothingLeft.class)
class ManyLinksTest {

    private static final int MANY = 40;
    /** As the loop polls them all the time. */
    private static final int FEW = 8;

    private static final Map<String, String> SMALL = Map.of("ring-size", "64k", "pool-size", "64k");

    @TempDir
    Path folder;

    private NettyLoop left;
    private NettyLoop right;
    private final List<ShmPair.End> lefts = new ArrayList<>();
    private final List<ShmPair.End> rights = new ArrayList<>();

    private void open(Waiting waiting) {
        left = NettyLoop.start("left", waiting, true);
        right = NettyLoop.start("right", waiting, true);
        TransportSettings settings = new TransportSettings(folder, true, SMALL);
        for (int i = 0; i < MANY; i++) {
            PendingLink connecting = ShmPair.prepare(left, true, settings);
            PendingLink accepting = ShmPair.prepare(right, false, settings);
            CompletableFuture<ShmPair.End> leftEnd = ShmPair.complete(left, connecting, accepting.offer(), true);
            rights.add(OnLoop.await(ShmPair.complete(right, accepting, connecting.offer(), true)));
            lefts.add(OnLoop.await(leftEnd));
        }
    }

    @AfterEach
    void close() {
        left.close().block(ShmPair.LONG);
        right.close().block(ShmPair.LONG);
    }

    private static int polled(NettyLoop loop) {
        return OnLoop.get(loop, loop::polled);
    }

    /** Until most links are quiet, which takes some looks of a loop that is awake. */
    private void untilQuiet() {
        OnLoop.until(() -> polled(left) <= FEW && polled(right) <= FEW);
    }

    private static void send(ShmPair.End from, int number, int bytes) {
        assertThat(OnLoop.get(from.loop(), () -> from.offer(number, bytes))).isTrue();
    }

    private void exchange() {
        for (int i = 0; i < MANY; i++) {
            send(lefts.get(i), i + 1, 32);
            rights.get(i).expect(i + 1);
            send(rights.get(i), 2 * i + 1, 40_000);
            lefts.get(i).expect(2 * i + 1);
        }
    }

    @Test
    void aQuietLinkIsServedAsSoonAsThereIsSomething() {
        open(Waiting.LATENCY);
        untilQuiet();
        exchange();
        untilQuiet();
        exchange();
    }

    @Test
    void loopsThatFallAsleepServeQuietLinksToo() {
        open(Waiting.BALANCED);
        for (int round = 0; round < 5; round++) {
            exchange();
        }
    }

    /** Each link pauses for as long as it takes to become quiet, more or less, so that all moments are hit. */
    @Test
    void nothingIsLostWhereMessagesMeetLinksThatAreBecomingQuiet() {
        open(Waiting.LATENCY);
        int each = 300;
        CountDownLatch all = new CountDownLatch(2 * MANY * each);
        AtomicInteger wrong = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            counts(lefts.get(i), all, wrong);
            counts(rights.get(i), all, wrong);
        }
        for (int i = 0; i < MANY; i++) {
            sends(lefts.get(i), new Random(i), 1, each);
            sends(rights.get(i), new Random(-1 - i), 1, each);
        }
        OnLoop.await(all);
        assertThat(wrong).hasValue(0);
        untilQuiet();
    }

    private static void counts(ShmPair.End end, CountDownLatch all, AtomicInteger wrong) {
        AtomicInteger last = new AtomicInteger();
        end.frames().onFrame = frame -> {
            if (frame.channel() != last.incrementAndGet()) {
                wrong.incrementAndGet();
            }
            frame.release();
            all.countDown();
        };
    }

    private static void sends(ShmPair.End end, Random random, int next, int last) {
        var unused = end.loop()
                .schedule(
                        () -> {
                            if (end.offer(next, random.nextInt(100))) {
                                if (next < last) {
                                    sends(end, random, next + 1, last);
                                }
                            } else {
                                sends(end, random, next, last);
                            }
                        },
                        Duration.ofNanos(random.nextLong(TimeUnit.MICROSECONDS.toNanos(3000))));
    }

    @Test
    void whoeverWaitsForRoomIsHeardOnALinkThatWasQuiet() {
        open(Waiting.LATENCY);
        untilQuiet();
        ShmPair.End from = lefts.get(MANY - 1);
        ShmPair.End to = rights.get(MANY - 1);
        int sent = OnLoop.get(left, () -> {
            int count = 0;
            while (from.offer(count + 1, 1000)) {
                count++;
            }
            return count;
        });
        from.frames().expectWritable();
        for (int i = 1; i <= sent; i++) {
            to.expect(i);
        }
        untilQuiet();
        send(from, sent + 1, 10);
        to.expect(sent + 1);
    }

    /** What is sent is published behind that, and its receiver woken behind a fence later still. */
    @Test
    void aLinkIsNotQuietInTheTurnOfAMessageNorWhileSomebodyWaits() {
        open(Waiting.LATENCY);
        ShmPair.End from = lefts.get(0);
        OnLoop.run(left, () -> {
            assertThat(from.offer(1, 10)).isTrue();
            assertThat(from.link().becomeQuiet()).isFalse();
        });
        rights.get(0).expect(1);
        OnLoop.run(
                left,
                () -> assertThat(from.link().becomeQuiet())
                        .as("it has just sent")
                        .isFalse());
        OnLoop.until(() -> OnLoop.get(left, from.link()::becomeQuiet));
        // As the loop does not know of it.
        OnLoop.run(left, from.link()::awake);
        OnLoop.run(left, from.link()::rouse);
        send(from, 2, 40_000);
        Frames.Got block = rights.get(0).frames().nextFrame();
        OnLoop.run(left, () -> {});
        for (int i = 0; i < 3; i++) {
            assertThat(OnLoop.get(left, from.link()::becomeQuiet))
                    .as("the peer has a block")
                    .isFalse();
        }
        block.body().release();
        OnLoop.until(() -> OnLoop.get(left, from.link()::becomeQuiet));
        OnLoop.run(left, from.link()::awake);
    }

    @Test
    void theEndOfAQuietLinkIsNoticed() {
        open(Waiting.LATENCY);
        untilQuiet();
        for (int i = 0; i < MANY; i++) {
            ShmPair.End mine = lefts.get(i);
            ShmPair.End theirs = rights.get(i);
            if (i % 2 == 0) {
                mine.run(mine.link()::close);
            } else {
                // As when the socket ends because its process was killed.
                theirs.run(theirs.link()::peerGone);
            }
            assertThat(theirs.frames().nextLost(SessionLost.class)).isNotNull();
        }
        assertThat(polled(right)).isZero();
    }

    @Test
    void aPeerThatRingsForNothingIsPolledForAWhileAndDisturbsNobody() {
        open(Waiting.LATENCY);
        untilQuiet();
        ShmPair.End noisy = lefts.get(MANY - 1);
        for (int i = 0; i < 10_000; i++) {
            noisy.link().port().doorbell().ring();
            if (i % 1000 == 0) {
                send(lefts.get(0), i + 1, 10);
                rights.get(0).expect(i + 1);
            }
        }
        untilQuiet();
        exchange();
    }

    @Test
    void whoeverHasBorrowedTheLoopMaySendOverQuietLinks() {
        open(Waiting.BALANCED);
        exchange();
        untilQuiet();
        for (int i = 0; i < MANY; i++) {
            ShmPair.End from = lefts.get(i);
            OnLoop.borrow(left);
            assertThat(from.offer(7, 20)).isTrue();
            left.endTurn();
            left.giveBack(!from.link().asleep());
            rights.get(i).expect(7);
            send(rights.get(i), 8, 20);
            from.expect(8);
        }
    }

    @Test
    void aQuietLinkEndsWhenWhoeverHasBorrowedTheLoopHasFailed() {
        open(Waiting.BALANCED);
        exchange();
        untilQuiet();
        for (int i = 0; i < MANY; i++) {
            ShmPair.End end = lefts.get(i);
            OnLoop.borrow(left);
            end.link().failed(new IllegalStateException("expected"));
            left.giveBack(true);
            assertThat(end.frames().nextLost(SessionLost.class)).hasMessageContaining("failed halfway");
        }
    }
}
