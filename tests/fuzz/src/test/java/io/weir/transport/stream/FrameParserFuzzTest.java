package io.weir.transport.stream;

import static io.weir.fuzz.Frames.describe;
import static io.weir.fuzz.Frames.frame;
import static io.weir.fuzz.Frames.record;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.LoopBuffers;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever comes over a stream, and however it is cut: the parser finds the same frames, or the same breach, and keeps
 * no buffer.
 */
class FrameParserFuzzTest {

    /** The first byte says whether the peer has said HELLO, and the second how the stream is cut. */
    private static final int PREFIX = 2;

    static Stream<byte[]> seeds() {
        Frame hello = frame(FrameKind.HELLO, 0).body(text("WEIR and more"));
        Frame open = frame(FrameKind.OPEN, 1).words(256, 1 << 20).body(text("prices"));
        Frame data = frame(FrameKind.DATA, 1).control(new byte[] {1, 2, 3}).body(text("0123456789"));
        Frame first = frame(FrameKind.FIRST, 1).words(4000, 0).body(Unpooled.wrappedBuffer(new byte[3000]));
        return Stream.of(
                bytes(0, 0, hello, open, data),
                bytes(0, 5, hello, open, data),
                bytes(1, 1, data, data, open),
                bytes(1, 40, first, frame(FrameKind.NEXT, 1).body(Unpooled.wrappedBuffer(new byte[1000]))),
                bytes(1, 200, frame(FrameKind.PING, 0), frame(FrameKind.ACK, 0).words(7, 0)));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void theSameFramesHoweverTheStreamIsCut(byte[] input) {
        if (input.length < PREFIX) {
            return;
        }
        boolean greeted = (input[0] & 1) != 0;
        byte[] stream = Arrays.copyOfRange(input, PREFIX, input.length);
        List<String> whole = read(greeted, stream, stream.length);
        List<String> cut = read(greeted, stream, 1 + (input[1] & 0xff));
        assertThat(cut).isEqualTo(whole);
    }

    private static List<String> read(boolean greeted, byte[] stream, int piece) {
        LoopBuffers small = new LoopBuffers();
        UnpooledByteBufAllocator large = new UnpooledByteBufAllocator(true, true);
        List<String> found = new ArrayList<>();
        FrameParser parser = new FrameParser(new Greeting("somebody", greeted), small, large, frame -> {
            found.add(describe(frame));
            frame.release();
            return true;
        });
        try {
            for (int at = 0; at < stream.length; at += piece) {
                parser.parse(Unpooled.wrappedBuffer(stream, at, Math.min(piece, stream.length - at)));
            }
        } catch (ProtocolMismatch breach) {
            found.add("breach");
        }
        parser.release();
        assertThat(small.outstanding()).isZero();
        assertThat(large.metric().usedDirectMemory()).isZero();
        assertThat(large.metric().usedHeapMemory()).isZero();
        return found;
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(int greeted, int cut, Frame... frames) {
        ByteBuf all = Unpooled.buffer();
        all.writeByte(greeted).writeByte(cut - 1);
        for (Frame frame : frames) {
            all.writeBytes(record(frame));
        }
        return ByteBufUtil.getBytes(all);
    }
}
