package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a link that ends may not have delivered comes back, so that a session can go on over another one. */
interface HandBackContract extends LinkPairs {

    String UNKNOWN = "this link does not know what was under way";

    /**
     * While the other side reads, is stopped, or has never read: between what it has had and what comes back is no gap.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 300})
    default void whatWasUnderWayComesBack(int readFirst) throws Exception {
        for (int round = 0; round < 3; round++) {
            try (LinkPair pair = open()) {
                FrameStream stream = FrameStream.mixed("to and fro", pair.maxFrame());
                pair.first.receive(frame -> {});
                long offered;
                Runnable goOn = () -> {};
                if (readFirst > 0) {
                    pair.second.expect(stream);
                    pair.first.pump(stream, readFirst);
                    pair.second.awaitReceived(readFirst);
                    goOn = pair.second.stop();
                }
                offered = pair.first.call(() -> offerFrom(pair.first, stream, readFirst));
                Optional<List<Long>> known =
                        pair.first.call(() -> handBackAndClose(pair.first, stream, offered, readFirst));
                goOn.run();
                assumeTrue(known.isPresent(), UNKNOWN);
                List<Long> back = known.get();
                assertThat(back).isEqualTo(numbers(offered - back.size(), offered));
                assertThat(offered - back.size()).isLessThanOrEqualTo(readFirst);
            }
        }
    }

    /** The side that finds the link broken asks from within {@code lost}. */
    @Test
    default void comesBackWhenTheLinkIsLost() throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("lost", pair.maxFrame());
            long[] offered = {0};
            List<Optional<List<Long>>> back = new ArrayList<>();
            pair.first.whenLost(() -> back.add(handBack(pair.first, stream, offered[0], pair.second.received())));
            pair.first.receive(frame -> {});
            pair.second.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            offered[0] = pair.first.call(() -> offerFrom(pair.first, stream, 0));
            pair.second.loop.execute(pair.second::closeHere);
            goOn.run();
            assertThat(pair.first.awaitLost()).isNotNull();
            pair.first.pass(1);
            assertThat(back).hasSize(1);
            assumeTrue(back.get(0).isPresent(), UNKNOWN);
            List<Long> frames = back.get(0).get();
            assertThat(frames).isEqualTo(numbers(offered[0] - frames.size(), offered[0]));
            assertThat(offered[0] - frames.size()).isLessThanOrEqualTo(pair.second.received());
        }
    }

    /** What was offered in this very turn as well; long bodies and short ones, each of which is released once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 10_000, Integer.MAX_VALUE})
    default void bodiesComeBackAsTheyWere(int longest) throws Exception {
        try (LinkPair pair = open()) {
            int length = Math.min(longest, pair.maxFrame());
            FrameStream stream = FrameStream.uniform("as they were", length);
            pair.first.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            long offered = pair.first.call(() -> offerFrom(pair.first, stream.tracked(), 0));
            Optional<List<Long>> known = pair.first.call(() -> {
                long more = offerFrom(pair.first, stream.tracked(), offered);
                return handBackAndClose(pair.first, stream, more, 0);
            });
            goOn.run();
            assumeTrue(known.isPresent(), UNKNOWN);
            assertThat(known.get()).hasSizeGreaterThanOrEqualTo((int) offered).startsWith(0L);
        }
    }

    /**
     * Nothing but what may still have to be sent again stays in memory, though the link lives on and nothing follows.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 30, 1_000})
    default void whatHasArrivedIsReleased(int count) throws Exception {
        try (LinkPair pair = open()) {
            FrameStream stream = FrameStream.mixed("arrived", pair.maxFrame());
            pair.second.expect(stream);
            pair.first.receive(frame -> {});
            pair.first.sendAll(stream.tracked(), count);
            pair.second.awaitReceived(count);
            pair.first.bodies.settle();
            Optional<List<Long>> known = pair.first.call(() -> handBackAndClose(pair.first, stream, count, count));
            assumeTrue(known.isPresent(), UNKNOWN);
            assertThat(known.get()).isEqualTo(numbers(count - known.get().size(), count));
        }
    }

    private static List<Long> numbers(long from, long to) {
        List<Long> numbers = new ArrayList<>();
        for (long number = from; number < to; number++) {
            numbers.add(number);
        }
        return numbers;
    }

    /** Offers until there is no room, or for a while. Returns the number of the frame that would be next. */
    private static long offerFrom(End end, FrameSource stream, long first) {
        Frame frame = new Frame();
        for (long number = first; number < first + 500; number++) {
            stream.fill(number, frame, end.bodies);
            if (!end.offer(frame)) {
                frame.release();
                return number;
            }
        }
        return first + 500;
    }

    private static Optional<List<Long>> handBackAndClose(End end, FrameStream stream, long offered, long had) {
        Optional<List<Long>> back = handBack(end, stream, offered, had);
        end.closeHere();
        return back;
    }

    /**
     * The numbers of the frames that came back, in their order; empty if the link does not know.
     *
     * @param had so many the other side has had: of those the bodies may be gone
     */
    private static Optional<List<Long>> handBack(End end, FrameStream stream, long offered, long had) {
        List<Frame> frames = new ArrayList<>();
        boolean known = end.link.handBack(frame -> frames.add(new Frame()
                .set(frame.kind(), frame.flags(), frame.channel(), frame.aux(), frame.body())
                .words(frame.first(), frame.second())
                .control(frame.control())));
        List<Long> numbers = new ArrayList<>();
        long number = offered - frames.size();
        for (Frame frame : frames) {
            try {
                if (number < had && !frame.body().isReadable()) {
                    stream.checkWithoutBody(number, frame);
                } else {
                    stream.check(number, frame);
                }
                numbers.add(number++);
            } finally {
                frame.release();
            }
        }
        return known ? Optional.of(numbers) : Optional.empty();
    }
}
