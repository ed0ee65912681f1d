package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is taken for lost, and when, on a way that takes a millisecond there and back. */
class SendQueueTest {

    private static final int ROOM = 256;
    private static final long ROUND_TRIP = 1_000_000;

    private final FragmentPool pool = new FragmentPool(64, ROOM);
    private final SendQueue queue = new SendQueue(ROOM, ROOM, 8, pool);
    /** The numbers that went out since {@link #sent} was asked last. */
    private final List<Long> out = new ArrayList<>();

    private long now = 1_000_000_000;

    @AfterEach
    void release() {
        queue.release();
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            Fragment fragment = pool.take();
            fragment.begin(0, 0);
            queue.add(fragment);
        }
    }

    private List<Long> sent() {
        boolean all = queue.send(
                (batch, numbers, count) -> {
                    for (int i = 0; i < count; i++) {
                        out.add(numbers[i]);
                    }
                    return count;
                },
                now);
        assertThat(all).isTrue();
        List<Long> sent = List.copyOf(out);
        out.clear();
        return sent;
    }

    /** The other side has all up to this one. */
    private void acknowledge(long last) {
        assertThat(queue.acknowledged(last, last + ROOM, now)).isTrue();
        queue.settle(last + 1, now);
    }

    private void acknowledge(long last, long from, long to) {
        assertThat(queue.acknowledged(last, last + ROOM, now)).isTrue();
        assertThat(queue.acknowledgedRange(from, to, now)).isTrue();
        queue.settle(to + 1, now);
    }

    private void awaitSilence() {
        assertThat(queue.deadline()).isLessThan(Long.MAX_VALUE);
        now = Math.max(now, queue.deadline());
        queue.silence(now);
    }

    /** Lets the window grow. Returns the number of the next fragment. */
    private long warm() {
        long next = FrameFormat.FIRST;
        for (int i = 0; i < 8; i++) {
            add(ROOM - 1);
            long end = next + ROOM - 1;
            while (next < end) {
                next += sent().size();
                now += ROUND_TRIP;
                acknowledge(next - 1);
            }
        }
        return next;
    }

    @Test
    void moreIsWelcomeOnlyWhileLittleWasNeverSent() {
        SendQueue small = new SendQueue(ROOM, 8, 8, pool);
        for (int i = 0; i < 8; i++) {
            assertThat(small.isFull()).isFalse();
            Fragment fragment = pool.take();
            fragment.begin(0, 0);
            small.add(fragment);
        }
        assertThat(small.isFull()).isTrue();
        assertThat(small.isRoomy()).isFalse();
        assertThat(small.send((batch, numbers, count) -> Math.min(count, 3), now))
                .isFalse();
        assertThat(small.isFull()).isFalse();
        assertThat(small.isRoomy()).isFalse();
        assertThat(small.send((batch, numbers, count) -> Math.min(count, 1), now))
                .isFalse();
        assertThat(small.isRoomy()).isTrue();
        small.release();
    }

    @Test
    void aWindowThatIsLostWholeTakesOneSilence() {
        long first = warm();
        add(100);
        assertThat(sent()).hasSize(100);

        awaitSilence();
        assertThat(sent()).containsExactly(first);
        now += ROUND_TRIP;
        acknowledge(first);

        // All but the last two, which may only be a little late.
        assertThat(sent()).hasSize(97).startsWith(first + 1).endsWith(first + 97);
        now += ROUND_TRIP;
        acknowledge(first + 97);
        assertThat(sent()).containsExactly(first + 98, first + 99);
    }

    @Test
    void aSilenceThatLastsNeverKeepsWhatIsLostFromBeingSentAgain() {
        long first = warm();
        add(100);
        assertThat(sent()).hasSize(100);

        awaitSilence();
        assertThat(sent()).containsExactly(first);
        awaitSilence();
        assertThat(sent()).containsExactly(first);
        for (int i = 0; i < 20; i++) {
            awaitSilence();
            assertThat(sent()).hasSizeGreaterThan(8).startsWith(first);
        }
    }

    @Test
    void whatWasOnlyLateInASilenceIsNotSentAgain() {
        long first = warm();
        add(100);
        assertThat(sent()).hasSize(100);

        awaitSilence();
        assertThat(sent()).containsExactly(first);
        // The first ones of what was under way, at last.
        now += ROUND_TRIP / 4;
        acknowledge(first + 9);

        assertThat(sent()).isEmpty();
    }

    /** An acknowledgement tells of so many ranges only: what it does not mention may have arrived. */
    @Test
    void whatWasSentAgainWithoutASilenceSaysNothingOfHigherNumbers() {
        long first = warm();
        add(40);
        assertThat(sent()).hasSize(40);
        now += ROUND_TRIP;
        acknowledge(first - 1, first + 1, first + 4);
        assertThat(sent()).containsExactly(first);
        now += ROUND_TRIP;
        acknowledge(first + 4);

        assertThat(sent()).isEmpty();
    }

    @Test
    void aTimerThatWasTooFastDoesNotSayThatTheWayPutsFramesOutOfOrder() {
        long next = warm();
        for (int i = 0; i < 10; i++) {
            add(4);
            assertThat(sent()).hasSize(4);
            awaitSilence();
            assertThat(sent()).containsExactly(next);
            next += 4;
            now += ROUND_TRIP / 4;
            acknowledge(next - 1);
            now += ROUND_TRIP;
        }

        add(5);
        assertThat(sent()).hasSize(5);
        now += ROUND_TRIP;
        acknowledge(next - 1, next + 1, next + 3);

        assertThat(sent()).containsExactly(next);
    }

    @Test
    void aWayThatPutsFramesOutOfOrderIsGivenTimeAndOneThatLosesThemIsNot() {
        long next = warm();
        for (int i = 0; i < 3; i++) {
            add(80);
            assertThat(sent()).hasSize(80);
            now += ROUND_TRIP;
            acknowledge(next - 1, next + 1, next + 70);
            List<Long> again = sent();
            now += ROUND_TRIP / 10;
            acknowledge(next + 70);
            assertThat(again).containsExactly(next);
            next += 80;
            acknowledge(next - 1);
        }
        // It has been put out of order by up to 23 now, for all that is known: 3, 6, 12, 24.
        add(30);
        assertThat(sent()).hasSize(30);
        now += ROUND_TRIP;
        acknowledge(next - 1, next + 1, next + 20);
        assertThat(sent()).isEmpty();
        acknowledge(next - 1, next + 1, next + 25);
        assertThat(sent()).containsExactly(next);
        now += ROUND_TRIP;
        acknowledge(next + 29);
        next += 30;

        for (int i = 0; i < 21; i++) {
            add(80);
            assertThat(sent()).hasSize(80);
            now += ROUND_TRIP;
            acknowledge(next - 1, next + 1, next + 79);
            assertThat(sent()).containsExactly(next);
            now += ROUND_TRIP;
            next += 80;
            acknowledge(next - 1);
        }
        add(5);
        assertThat(sent()).hasSize(5);
        now += ROUND_TRIP;
        acknowledge(next - 1, next + 1, next + 3);
        assertThat(sent()).containsExactly(next);
    }
}
