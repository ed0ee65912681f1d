package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However a link ends: what was taken before a close arrives, each side is told at most once, and nothing stays behind.
 */
interface EndingContract extends LinkPairs {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, Integer.MAX_VALUE})
    default void whatWasOfferedBeforeCloseArrives(int most) throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("farewell", pair.maxFrame());
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            long taken = pair.first.call(() -> offerThenClose(pair.first, stream, most));
            assertThat(taken).isLessThanOrEqualTo(most);
            pair.second.awaitReceived(taken);
            assertThat(pair.second.awaitLost()).isNotNull();
            pair.second.pass(20);
            pair.second.check();
            assertThat(pair.first.lost()).isNull();
        }
    }

    /** On a byte stream, bytes that nobody has read turn an end in good order into a reset. */
    @Test
    default void whatWasOfferedBeforeCloseArrivesThoughThePeerIsSending() throws Exception {
        for (int round = 0; round < 5; round++) {
            try (LinkPair pair = open()) {
                FrameStream stream = FrameStream.mixed("farewell in a storm", pair.maxFrame());
                pair.second.expect(stream);
                pair.first.receive(frame -> {});
                pair.second.sendAll(FrameStream.mixed("storm", pair.maxFrame()), Long.MAX_VALUE);
                pair.first.awaitSome(100);
                Runnable goOn = pair.second.stop();
                long taken = pair.first.call(() -> offerThenClose(pair.first, stream, 200));
                goOn.run();
                pair.second.awaitReceived(taken);
                assertThat(pair.second.awaitLost()).isNotNull();
            }
        }
    }

    private static long offerThenClose(End end, FrameStream stream, int most) {
        Frame frame = new Frame();
        for (int number = 0; number < most; number++) {
            stream.fill(number, frame, end.bodies);
            if (!end.offer(frame)) {
                frame.release();
                end.closeHere();
                return number;
            }
        }
        end.closeHere();
        return most;
    }

    @Test
    default void aHandlerThatComesAfterTheEndGetsFramesFirst() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.uniform("posthumous", 200);
            pair.first.receive(frame -> {});
            long taken = pair.first.call(() -> offerThenClose(pair.first, stream, 10));
            pair.second.pass(50);
            pair.second.expect(stream);
            pair.second.awaitReceived(taken);
            assertThat(pair.second.awaitLost()).isNotNull();
            assertThat(taken).isPositive();
        }
    }

    @Test
    default void nothingComesAfterAClose() throws Exception {
        try (LinkPair pair = open()) {
            pair.first.receive(frame -> {
                if (pair.first.received() == 50) {
                    pair.first.closeHere();
                    pair.first.link.close();
                }
            });
            pair.second.receive(frame -> {});
            pair.second.sendAll(FrameStream.mixed("ignored", pair.maxFrame()), Long.MAX_VALUE);
            assertThat(pair.second.awaitLost()).isNotNull();
            pair.first.pass(50);
            pair.first.check();
            assertThat(pair.first.received()).isEqualTo(50);
            assertThat(pair.first.lost()).isNull();
        }
    }

    @Test
    default void offersAfterCloseAreRefusedForGood() throws Exception {
        try (LinkPair pair = open()) {
            pair.first.receive(frame -> {});
            pair.second.receive(frame -> {});
            pair.first.close();
            refusesForGood(pair.first);
            assertThat(pair.second.awaitLost()).isNotNull();
            refusesForGood(pair.second);
            pair.first.close();
            pair.second.close();
            pair.second.close();
            refusesForGood(pair.second);
        }
    }

    /** A no that is followed by no call; {@link End} fails the test if one comes. */
    private static void refusesForGood(End end) {
        ByteBuf body = end.bodies.tracked(3, 100);
        assertThat(end.<Boolean>call(
                        () -> end.offer(new Frame().set(FrameKind.DATA, 0, 1, 0).body(body))))
                .isFalse();
        assertThat(body.refCnt()).isEqualTo(2);
        assertThat(body.readableBytes()).isEqualTo(100);
        body.release();
        end.pass(20);
        assertThat(end.writables()).isZero();
        end.check();
    }

    @Test
    default void lostIsToldOnceAndCanBeAnsweredWithAClose() throws Exception {
        try (LinkPair pair = open()) {
            ByteBuf body = pair.second.bodies.tracked(1, 30);
            List<Boolean> offers = new ArrayList<>();
            pair.second.whenLost(() -> {
                offers.add(pair.second.offer(
                        new Frame().set(FrameKind.DATA, 0, 1, 0).body(body)));
                pair.second.closeHere();
            });
            pair.second.receive(frame -> {});
            pair.first.receive(frame -> {});
            pair.first.close();
            assertThat(pair.second.awaitLost()).isNotNull();
            pair.second.pass(20);
            pair.second.check();
            assertThat(offers).containsExactly(false);
            body.release();
        }
    }

    @Test
    default void bothMayCloseAtTheSameTime() throws Exception {
        for (int round = 0; round < 10; round++) {
            try (LinkPair pair = open()) {
                pair.first.receive(frame -> {});
                pair.second.receive(frame -> {});
                var there = pair.first.pump(FrameStream.mixed("crossing", pair.maxFrame()), Long.MAX_VALUE);
                var back = pair.second.pump(FrameStream.mixed("crossed", pair.maxFrame()), Long.MAX_VALUE);
                pair.second.awaitSome(10);
                CountDownLatch closed = new CountDownLatch(2);
                for (End end : List.of(pair.first, pair.second)) {
                    end.loop.execute(() -> {
                        if (end.lost() == null) {
                            end.closeHere();
                        }
                        closed.countDown();
                    });
                }
                Await.until("both are closed", () -> closed.getCount() == 0);
                pair.first.pass(20);
                pair.second.pass(20);
                pair.first.check();
                pair.second.check();
                assertThat(there.taken() + back.taken()).isPositive();
            }
        }
    }

    @Test
    default void aHandlerThatThrowsLosesTheLink() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("dangerous", pair.maxFrame());
            pair.second.receive(frame -> {
                stream.check(pair.second.received() - 1, frame);
                if (pair.second.received() == 100) {
                    throw new End.Thrown();
                }
            });
            pair.first.receive(frame -> {});
            pair.first.sendAll(stream, 500);
            assertThat(pair.second.awaitLost()).isNotNull();
            assertThat(pair.first.awaitLost()).isNotNull();
            assertThat(pair.second.received()).isEqualTo(100);
        }
    }

    /** The ways in which a link that is full in both directions can end. */
    enum Ending {
        FIRST_CLOSES,
        SECOND_CLOSES,
        BOTH_CLOSE,
        HANDLER_THROWS,
        CLOSED_BEFORE_ANY_HANDLER,
        CLOSED_FROM_WITHIN_THE_HANDLER
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    default void everyBufferIsReleasedOnceHoweverItEnds(Ending ending) throws Exception {
        List<ByteBuf> kept = new ArrayList<>();
        try (LinkPair pair = open()) {
            FrameSource there = FrameStream.mixed("doomed there", Math.min(pair.maxFrame(), 40_000))
                    .tracked();
            FrameSource back = FrameStream.mixed("doomed back", Math.min(pair.maxFrame(), 40_000))
                    .tracked();
            boolean handled = ending != Ending.CLOSED_BEFORE_ANY_HANDLER;
            if (handled) {
                pair.second.receive(frame -> endWithin(ending, pair.second, frame, kept));
                pair.first.receive(frame -> {});
            }
            Runnable goOn = pair.second.stop();
            pair.second.loop.execute(() -> pair.second.guard(() -> fill(pair.second, back)));
            pair.first.run(() -> fill(pair.first, there));
            goOn.run();
            switch (ending) {
                case CLOSED_BEFORE_ANY_HANDLER -> pair.first.close();
                case FIRST_CLOSES -> {
                    pair.first.close();
                    assertThat(pair.second.awaitLost()).isNotNull();
                }
                case SECOND_CLOSES -> pair.second.close();
                case BOTH_CLOSE -> {
                    pair.first.close();
                    pair.second.close();
                }
                case HANDLER_THROWS, CLOSED_FROM_WITHIN_THE_HANDLER ->
                    assertThat(pair.first.awaitLost()).isNotNull();
            }
            pair.second.pass(5);
            kept.forEach(ByteBuf::release);
        }
    }

    /** Offers until the link says no, at most what a test wants to wait for. */
    private static void fill(End end, FrameSource source) {
        Frame frame = new Frame();
        for (int number = 0; number < 2_000; number++) {
            source.fill(number, frame, end.bodies);
            if (!end.offer(frame)) {
                frame.release();
                return;
            }
        }
    }

    private static void endWithin(Ending ending, End end, Frame frame, List<ByteBuf> kept) {
        if (end.received() % 3 == 0) {
            kept.add(frame.body().retain());
        }
        if (end.received() == 2 && ending == Ending.HANDLER_THROWS) {
            throw new End.Thrown();
        }
        if (end.received() == 2 && ending == Ending.CLOSED_FROM_WITHIN_THE_HANDLER) {
            end.closeHere();
        }
    }
}
