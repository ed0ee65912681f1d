package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Codecs;
import io.weir.core.ContentMemory;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.InPlaceCodec;
import io.weir.core.LoopBuffers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Content that is only lent, to a link or by it, is what it was, and what is kept of it is a copy. */
interface LendingContract extends LinkPairs {

    @Test
    default void takesContentThatIsOnlyLentOrSaysSo() throws Exception {
        try (LinkPair pair = open()) {
            if (!pair.first.call(pair.first.link::takesLent)) {
                return;
            }
            Lent sent = new Lent();
            pair.second.receive(frame -> Lent.receive(pair.second.received() - 1, frame));
            // Some links learn of room by what comes, which waits for a handler.
            pair.first.receive(frame -> {});
            for (int i = 0; i < 300; i++) {
                int number = i;
                Await.until("frame " + i + " is taken", () -> {
                    pair.second.check();
                    return pair.first.call(() -> sent.offer(pair.first, number));
                });
            }
            pair.second.awaitReceived(300);
        }
    }

    @Test
    default void aRefusedLentFrameChangesNothing() throws Exception {
        try (LinkPair pair = open()) {
            if (!pair.first.call(pair.first.link::takesLent)) {
                return;
            }
            Lent sent = new Lent();
            pair.second.receive(frame -> Lent.receive(pair.second.received() - 1, frame));
            pair.first.receive(frame -> {});
            Runnable goOn = pair.second.stop();
            int taken = pair.first.call(() -> sent.offerUntilRefused(pair.first));
            goOn.run();
            Await.until("writable() after a no", () -> pair.first.writables() == 1);
            Await.until("room again", () -> pair.first.call(() -> sent.offer(pair.first, taken)));
            pair.second.awaitReceived(taken + 1);
        }
    }

    /** To lend is a favour: also who asks must take what comes, and who does not ask any more. */
    @Test
    default void lentContentCanBeCopied() throws Exception {
        int frames = 1500;
        List<ByteBuf> kept = new ArrayList<>();
        try (LinkPair pair = open()) {
            pair.second.receive(frame -> {
                long number = pair.second.received() - 1;
                Lent.receive(number, frame);
                if (number % 7 < 3) {
                    kept.add(frame.body().retain());
                    assertThat(frame.isLent()).isFalse();
                    Lent.check(number, frame);
                } else {
                    kept.add(Unpooled.EMPTY_BUFFER);
                }
            });
            pair.first.sendAll(
                    (number, frame, bodies) -> {
                        var unused = Lent.head((int) number, frame)
                                .body(bodies.any(Lent.place(number), Lent.length(number)));
                    },
                    frames);
            pair.second.awaitReceived(frames);
            pair.second.run(() -> {
                for (int number = 0; number < frames; number++) {
                    ByteBuf body = kept.get(number);
                    assertThat(number % 7 >= 3 || Noise.equal(Lent.place(number), body))
                            .as("what was kept of frame %d", number)
                            .isTrue();
                    body.release();
                }
            });
        }
    }

    /** Frames by their number, and the memory whose beginning they lend. */
    final class Lent {

        private static final InPlaceCodec<byte[]> BYTES = (InPlaceCodec<byte[]>) Codecs.bytes();

        private static final int LONGEST = LoopBuffers.LARGEST + 1;

        /** About the ends of words, of what is copied word by word, and of what is ever lent to a handler. */
        private static final int[] LENGTHS = {0, 1, 7, 8, 31, 32, 96, 97, 1000, LoopBuffers.LARGEST, LONGEST};

        private final ContentMemory memory = new ContentMemory(LONGEST);
        private final Frame frame = new Frame();

        static int length(long number) {
            return LENGTHS[(int) number % LENGTHS.length];
        }

        static int place(long number) {
            return (int) number % 1000;
        }

        /** All but the body. */
        static Frame head(int number, Frame into) {
            int controlLength = number / LENGTHS.length % 3 * 5;
            return into.set(FrameKind.DATA, 5, 7, number).control(Noise.copy(number + 1, controlLength));
        }

        /** Asks for the next one to be lent: never for a while, then always, then every other time. */
        static void receive(long number, Frame frame) {
            long phase = number / 100 % 3;
            if (phase == 1 || (phase == 2 && number % 2 == 0)) {
                frame.lendNext();
            }
            check(number, frame);
        }

        static void check(long number, Frame frame) {
            Frame expected = head((int) number, new Frame());
            byte[] content = frame.isLent() ? frame.read(BYTES) : ByteBufUtil.getBytes(frame.body());

            assertThat(content).hasSize(length(number));
            assertThat(Noise.equal(place(number), content))
                    .as("content of frame %d", number)
                    .isTrue();
            assertThat(frame.control()).isEqualTo(expected.control());
            assertThat(frame.word1()).isEqualTo(expected.word1());
            assertThat(frame.flags()).isEqualTo(expected.flags());
        }

        /** Offers the frame of this number, and overwrites what it has lent. */
        boolean offer(End end, int number) {
            byte[] content = Noise.copy(place(number), LONGEST);
            System.arraycopy(content, 0, memory.bytes(), 0, content.length);
            Frame lending = head(number, frame).lend(memory, length(number));
            long word0 = lending.word0();
            byte[] control = lending.control();
            boolean taken = end.offer(lending);
            if (!taken) {
                assertThat(frame.isLent() && frame.content() == memory && frame.control() == control)
                        .as("unchanged")
                        .isTrue();
                assertThat(frame.word0()).isEqualTo(word0);
                assertThat(frame.word1()).isEqualTo(head(number, new Frame()).word1());
            }
            assertThat(memory.bytes()).as("what was lent").isEqualTo(content);
            Arrays.fill(memory.bytes(), (byte) ~number);
            return taken;
        }

        /** How many frames were taken, from number 0 on, until one was not. */
        int offerUntilRefused(End end) {
            for (int number = 0; ; number++) {
                if (!offer(end, number)) {
                    return number;
                }
                assertThat(number * 300L).as("bytes taken within one turn").isLessThan(FullLinkContract.MOST_UNDER_WAY);
            }
        }
    }
}
