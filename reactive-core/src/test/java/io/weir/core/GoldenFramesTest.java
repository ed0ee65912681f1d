package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The bytes of a frame of each kind, as peers of other versions will send them: they never change. A new kind gets a
 * new line. All have flags 05, control data of 5 bytes, a body of 5 bytes, channel 80000003, aux 2a, and what words the
 * kind has.
 */
class GoldenFramesTest {

    private static final Map<FrameKind, String> HEADER_AND_WORDS = Map.ofEntries(
            entry(FrameKind.HELLO, "0a000000 01050500 03000080 2a000000"),
            entry(FrameKind.REFUSE, "0a000000 02050500 03000080 2a000000"),
            entry(FrameKind.CARD, "0a000000 03050500 03000080 2a000000"),
            entry(FrameKind.PROPOSE, "0a000000 04050500 03000080 2a000000"),
            entry(FrameKind.OFFER, "0a000000 05050500 03000080 2a000000"),
            entry(FrameKind.OPENED, "0a000000 06050500 03000080 2a000000"),
            entry(FrameKind.FAILED, "0a000000 07050500 03000080 2a000000"),
            entry(FrameKind.PROBE, "0a000000 08050500 03000080 2a000000 0807060504030201 feffffffffffffff"),
            entry(FrameKind.PROBED, "0a000000 09050500 03000080 2a000000 0807060504030201 feffffffffffffff"),
            entry(FrameKind.USE, "0a000000 0a050500 03000080 2a000000"),
            entry(FrameKind.MOVE, "0a000000 0b050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.MOVED, "0a000000 0c050500 03000080 2a000000"),
            entry(FrameKind.RESUME, "0a000000 0d050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.LOST, "0a000000 0e050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.ACK, "0a000000 0f050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.GOODBYE, "0a000000 10050500 03000080 2a000000"),
            entry(FrameKind.PING, "0a000000 11050500 03000080 2a000000"),
            entry(FrameKind.PONG, "0a000000 12050500 03000080 2a000000"),
            entry(FrameKind.REJOIN, "0a000000 14050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.PROOF, "0a000000 13050500 03000080 2a000000"),
            entry(FrameKind.OPEN, "0a000000 20050500 03000080 2a000000 0807060504030201 feffffffffffffff"),
            entry(FrameKind.ACCEPT, "0a000000 21050500 03000080 2a000000 0807060504030201 feffffffffffffff"),
            entry(FrameKind.DATA, "0a000000 22050500 03000080 2a000000"),
            entry(FrameKind.FIRST, "0a000000 23050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.NEXT, "0a000000 24050500 03000080 2a000000"),
            entry(FrameKind.END, "0a000000 25050500 03000080 2a000000"),
            entry(FrameKind.CANCEL, "0a000000 26050500 03000080 2a000000"),
            entry(FrameKind.ERROR, "0a000000 27050500 03000080 2a000000"),
            entry(FrameKind.CREDIT, "0a000000 28050500 03000080 2a000000 0807060504030201 feffffffffffffff"),
            entry(FrameKind.WANT, "0a000000 29050500 03000080 2a000000 0807060504030201"),
            entry(FrameKind.DELIVERED, "0a000000 2a050500 03000080 2a000000"),
            entry(FrameKind.ABORT, "0a000000 2b050500 03000080 2a000000"));

    private static final String CONTROL_BODY_AND_PADDING = "0161010062 68656c6c6f 000000000000";

    @Test
    void everyKindHasItsBytes() {
        assertThat(HEADER_AND_WORDS).containsOnlyKeys(FrameKind.values());
    }

    @ParameterizedTest
    @EnumSource
    void isWrittenSo(FrameKind kind) {
        Frame frame = new Frame()
                .set(kind, 5, 0x8000_0003, 42)
                .words(0x0102_0304_0506_0708L, -2)
                .control(ControlData.of("a", "b").encoded())
                .body(Unpooled.copiedBuffer("hello", UTF_8));

        assertThat(ByteBufUtil.hexDump(written(frame))).isEqualTo(golden(kind).replace(" ", ""));
        frame.release();
    }

    @ParameterizedTest
    @EnumSource
    void isReadSo(FrameKind kind) {
        ByteBuf wire =
                Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(golden(kind).replace(" ", "")));
        long word0 = wire.readLongLE();
        long word1 = wire.readLongLE();

        assertThat(FrameKind.of(FrameLayout.kindCode(word0))).isEqualTo(kind);
        assertThat(FrameLayout.length(word0)).isEqualTo(10);
        assertThat(FrameLayout.flags(word0)).isEqualTo(5);
        assertThat(FrameLayout.controlLength(word0)).isEqualTo(5);
        assertThat(FrameLayout.channel(word1)).isEqualTo(0x8000_0003);
        assertThat(FrameLayout.aux(word1)).isEqualTo(42);
        wire.skipBytes(8 * kind.words());
        assertThat(wire.readableBytes()).isEqualTo(FrameLayout.align(10));
    }

    private static String golden(FrameKind kind) {
        return HEADER_AND_WORDS.get(kind) + CONTROL_BODY_AND_PADDING;
    }

    private static ByteBuf written(Frame frame) {
        ByteBuf wire = Unpooled.buffer().writeLongLE(frame.word0()).writeLongLE(frame.word1());
        if (frame.kind().words() > 0) {
            wire.writeLongLE(frame.first());
        }
        if (frame.kind().words() > 1) {
            wire.writeLongLE(frame.second());
        }
        wire.writeBytes(frame.control()).writeBytes(frame.body(), 0, frame.bodyLength());
        return wire.writeZero((int) FrameLayout.size(frame.kind().words(), frame.length()) - wire.readableBytes());
    }
}
