package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an admitted peer says of what has come to it out of order: each fragment is looked at once for a frame. */
@Tag("one-jdk")
class HostileRangesTest {

    private static final int PAYLOAD = 100;
    private static final int WINDOW = 64;
    private static final int INDEX = 5;
    private static final int SYN_BYTES = 52;
    private static final int FRAGMENTS = 20;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final Nonce one = Nonce.random();
    private final Nonce other = Nonce.random();
    private final Seal peer = Seal.of(one, other, true);
    private final Connection connection = new Connection(
            new Connection.Setting(
                    INDEX,
                    1,
                    ByteBuffer.allocate(FrameFormat.ADDRESS),
                    "the peer",
                    PAYLOAD,
                    WINDOW,
                    256,
                    Duration.ofSeconds(2)),
            false,
            Seal.of(one, other, false),
            new Outlet(),
            new User(),
            allocator);

    private long now = 1_000_000_000;
    private int sent;

    private final class Outlet implements Connection.Outlet {
        @Override
        public int send(Fragment[] batch, int count) {
            sent += count;
            return count;
        }

        @Override
        public void control(ByteBuffer frame, int length) {
            // The peer is not interested.
        }
    }

    private static final class User implements Connection.User {
        @Override
        public boolean wants() {
            return true;
        }

        @Override
        public void fragment(ByteBuf payload, boolean last) {
            throw new AssertionError("nothing is sent here");
        }

        @Override
        public void established() {
            // As it has to be.
        }

        @Override
        public void ended(WeirException reason) {
            throw new AssertionError(reason);
        }
    }

    @BeforeEach
    void connect() {
        connection.begin(now);
        ByteBuffer syn = ByteBuffer.allocate(SYN_BYTES).order(ByteOrder.nativeOrder());
        FrameFormat.number(syn, 4, 7);
        FrameFormat.number(syn, 14, PAYLOAD);
        syn.putLong(44, peer.ofControl(0, syn, 0, 44));
        connection.control(syn, 0, SYN_BYTES, now);
        // What is under way grows with what has arrived.
        for (int i = 0; i < 4; i++) {
            send(FRAGMENTS);
            acknowledge((long) FrameFormat.FIRST + sent - 1);
        }
    }

    @AfterEach
    void nothingIsLeft() {
        connection.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private void send(int count) {
        int before = sent;
        for (int i = 0; i < count; i++) {
            Fragment fragment = connection.pool().take();
            fragment.begin(0, 0);
            fragment.bytes().writeZero(PAYLOAD);
            connection.add(fragment, true);
        }
        connection.flush(now);
        assertThat(sent).isEqualTo(before + count);
        now += 1_000_000;
    }

    /** All up to the last, and these behind that: first and last of each range. */
    private void acknowledge(long last, long... ranges) {
        int length = FrameFormat.ACK_RANGE + Short.BYTES * ranges.length;
        ByteBuffer frame = ByteBuffer.allocate(length + Long.BYTES).order(ByteOrder.nativeOrder());
        FrameFormat.number(frame, 0, 3);
        FrameFormat.number(frame, 4, INDEX);
        FrameFormat.number(frame, FrameFormat.ACK_ACKNOWLEDGED, last);
        FrameFormat.number(frame, 8, last + WINDOW);
        FrameFormat.number(frame, 12, ranges.length / 2);
        for (int i = 0; i < ranges.length; i++) {
            FrameFormat.number(frame, FrameFormat.ACK_RANGE + Short.BYTES * i, ranges[i]);
        }
        frame.putLong(length, peer.ofControl(last, frame, 0, length));
        connection.control(frame, 0, length + Long.BYTES, now);
        connection.settle(now);
    }

    /** How many are sent again, of those that this acknowledgement leaves missing. */
    private int resent(long... ranges) {
        long first = (long) FrameFormat.FIRST + sent;
        send(FRAGMENTS);
        long[] numbers = ranges.clone();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] += first;
        }
        int before = sent;
        acknowledge(first - 1, numbers);
        connection.flush(now);
        return sent - before;
    }

    @Test
    void rangesInAscendingOrderCount() {
        assertThat(resent(2, 3, 12, 12)).isEqualTo(resentOf(12) - 2);
    }

    @Test
    void aRangeThatIsNotBehindTheOneBeforeIsIgnored() {
        assertThat(resent(12, 12, 2, 3)).isEqualTo(resentOf(12));
    }

    @Test
    void rangesThatOverlapCountOnce() {
        assertThat(resent(12, 12, 2, 12, 2, 13)).isEqualTo(resentOf(12));
    }

    /** Those before the one that has come, but for a few that may only be late. */
    private static int resentOf(int arrived) {
        return arrived - 2;
    }
}
