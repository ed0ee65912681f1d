package io.weir.transport.tcp;

import static io.weir.fuzz.Frames.content;
import static io.weir.fuzz.Frames.describe;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LoopBuffers;
import io.weir.transport.stream.FrameParser;
import io.weir.transport.stream.Greeting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever number of frames the other side says that it has had: what can't be is refused and changes nothing; all that
 * it has not acknowledged comes back, in order and as it was written, on the wire as well as kept; memory stays within
 * the bound; and nothing is kept in the end.
 */
class OutboxFuzzTest {

    private static final UnpooledByteBufAllocator MEMORY = new UnpooledByteBufAllocator(true, true);

    /** What is kept is not much more than its bound: the last frame, which goes beyond it, and a rounded-up body. */
    private static final long MOST = Kept.LEAST + 4 * WriteBuffer.SIZE;

    private static final byte[] CONTENT = content(Greeting.MAX_FRAME);

    private static final int ADD = 0;
    private static final int ADD_LONG = 1;
    private static final int FLUSH = 2;
    private static final int ACK = 3;
    private static final int ACK_OF_ANY = 4;
    private static final int ADD_ACK = 5;
    private static final int KEEP = 6;
    private static final int ADD_CONTROL = 7;
    private static final int DEEDS = 8;

    static Stream<byte[]> seeds() {
        return Stream.of(
                deeds(KEEP, ADD, 10, ADD, 200, FLUSH, ADD, 3, FLUSH, ACK, 2, ADD, 9, FLUSH, ACK, 1),
                deeds(ADD, 7, KEEP, ADD_LONG, 100, ADD, 3, FLUSH, ACK, 1, ADD_LONG, 3, ADD_LONG, 77, FLUSH, ACK, 2),
                deeds(KEEP, ADD, 10, FLUSH, ACK, 3),
                deeds(KEEP, ADD, 10, FLUSH, ACK, 1, ACK, 0),
                deeds(ADD, 10, FLUSH, ACK, 1),
                deeds(KEEP, ADD, 1, ADD_ACK, 9, ADD, 2, ADD_ACK, 1, FLUSH, ACK, 2),
                deeds(KEEP, ADD, 1, ACK, 1, ADD_LONG, 55, ACK, 2, FLUSH, ACK_OF_ANY, 128, 0, 0, 0, 0, 0, 0, 1),
                deeds(KEEP, ADD_CONTROL, 50, ADD_LONG, 255, ADD_LONG, 255, ADD_LONG, 255, ADD_LONG, 255, ADD_LONG, 255),
                deeds(
                        KEEP, ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254,
                        ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254, ADD_LONG, 254, FLUSH, ACK, 7, ADD, 1, FLUSH));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsNotAcknowledgedComesBack(byte[] input) {
        Sending sending = new Sending(input);
        try {
            sending.run();
        } finally {
            sending.end();
        }
        assertThat(MEMORY.metric().usedDirectMemory()).isIn(0L, (long) WriteBuffer.SIZE);
        assertThat(MEMORY.metric().usedHeapMemory()).isZero();
    }

    private static final class Sending {

        private final byte[] input;
        private int at;
        private final EmbeddedChannel channel;
        private final Outbox outbox;
        private final List<String> onWire = new ArrayList<>();
        private final List<String> expectedOnWire = new ArrayList<>();
        private final List<String> kept = new ArrayList<>();
        private final FrameParser far;
        private boolean keeps;
        private int flushed;
        private int acknowledged;

        Sending(byte[] input) {
            this.input = input;
            ChannelInboundHandlerAdapter nobody = new ChannelInboundHandlerAdapter();
            this.channel = new EmbeddedChannel(nobody);
            channel.config().setAllocator(MEMORY);
            ChannelHandlerContext context =
                    Objects.requireNonNull(channel.pipeline().context(nobody));
            this.outbox = new Outbox(context);
            this.far = parser(onWire);
        }

        private static FrameParser parser(List<String> to) {
            LoopBuffers small = new LoopBuffers();
            return new FrameParser(new Greeting("what was sent", true), small, MEMORY, frame -> {
                to.add(describe(frame));
                frame.release();
                return true;
            });
        }

        private int next() {
            return at < input.length ? input[at++] & 0xff : 0;
        }

        void run() {
            while (at < input.length) {
                switch (next() % DEEDS) {
                    case ADD -> add(next(), 0, false);
                    case ADD_LONG -> add(Outbox.COPIED - 64 + 200 * next(), 1, true);
                    case ADD_CONTROL -> add(next(), next(), true);
                    case FLUSH -> flush();
                    case ACK -> acknowledge(acknowledged + (long) (byte) next());
                    case ACK_OF_ANY -> acknowledge(anything());
                    case ADD_ACK -> ack(next());
                    default -> keep();
                }
            }
            List<String> back = new ArrayList<>();
            boolean given = outbox.handBack(parser(back));
            assertThat(given).isEqualTo(keeps);
            assertThat(back.size()).isGreaterThanOrEqualTo(kept.size() - acknowledged);
            assertThat(back).isEqualTo(kept.subList(kept.size() - back.size(), kept.size()));
            flush();
            assertThat(onWire).isEqualTo(expectedOnWire);
        }

        private long anything() {
            long value = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                value = value << 8 | next();
            }
            return value;
        }

        private void keep() {
            if (!keeps) {
                keeps = true;
                outbox.keep(0);
                expectedOnWire.add(describe(new Frame().set(FrameKind.ACK, 0, 0, 0)));
            }
        }

        private void ack(long frames) {
            outbox.addAck(frames);
            expectedOnWire.add(describe(new Frame().set(FrameKind.ACK, 0, 0, 0).words(frames, 0)));
        }

        private void add(int length, int control, boolean direct) {
            if (outbox.isFull()) {
                return;
            }
            ByteBuf body = direct ? MEMORY.directBuffer(Math.max(1, length)) : Unpooled.buffer(Math.max(1, length));
            body.writeBytes(CONTENT, at & 0xff, length);
            Frame frame = new Frame()
                    .set(FrameKind.DATA, 0, 1, at)
                    .control(new byte[control])
                    .body(body);
            String described = describe(frame);
            expectedOnWire.add(described);
            if (keeps) {
                kept.add(described);
            }
            outbox.add(frame);
        }

        private void flush() {
            outbox.flush();
            flushed = kept.size();
            for (Object message; (message = channel.readOutbound()) != null; ReferenceCountUtil.release(message)) {
                far.parse((ByteBuf) message);
            }
            // Not before: what waits for the kernel is bounded by who offers it, as the channel says.
            assertThat(MEMORY.metric().usedDirectMemory()).isLessThan(MOST);
        }

        private void acknowledge(long frames) {
            boolean taken = outbox.acknowledge(frames);
            if (frames <= acknowledged || frames > kept.size()) {
                assertThat(taken).isFalse();
            } else if (frames <= flushed) {
                assertThat(taken).isTrue();
            }
            if (taken) {
                acknowledged = (int) frames;
            }
        }

        void end() {
            outbox.end();
            outbox.forgetKept();
            outbox.flush();
            far.release();
            channel.releaseOutbound();
            var unused = channel.finishAndReleaseAll();
        }
    }

    private static byte[] deeds(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
