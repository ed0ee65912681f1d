package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import java.io.File;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FrameTest {

    @Test
    void everyHeaderFieldKeepsItsBits() {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            int kind = random.nextInt(256);
            int flags = random.nextInt(256);
            int control = random.nextInt(FrameLayout.MAX_CONTROL + 1);
            int length = random.nextInt();
            int channel = random.nextInt();
            int aux = random.nextInt();
            long word0 = FrameLayout.word0(kind, flags, control, length);
            long word1 = FrameLayout.word1(channel, aux);

            assertThat(FrameLayout.kindCode(word0)).as("seed %d", seed).isEqualTo(kind);
            assertThat(FrameLayout.flags(word0)).as("seed %d", seed).isEqualTo(flags);
            assertThat(FrameLayout.controlLength(word0)).as("seed %d", seed).isEqualTo(control);
            assertThat(FrameLayout.length(word0)).as("seed %d", seed).isEqualTo(length);
            assertThat(FrameLayout.channel(word1)).as("seed %d", seed).isEqualTo(channel);
            assertThat(FrameLayout.aux(word1)).as("seed %d", seed).isEqualTo(aux);
        }
    }

    @Test
    void aClaimOfTwoGibibytesOrMoreIsNegative() {
        assertThat(FrameLayout.length(FrameLayout.word0(34, 0, 0, Integer.MIN_VALUE)))
                .isNegative();
        assertThat(FrameLayout.length(0xffff_ffffL)).isNegative();
    }

    @Test
    void sizesAreMultiplesOfEight() {
        assertThat(FrameLayout.align(0)).isZero();
        assertThat(FrameLayout.align(1)).isEqualTo(8);
        assertThat(FrameLayout.align(8)).isEqualTo(8);
        assertThat(FrameLayout.size(0, 0)).isEqualTo(16);
        assertThat(FrameLayout.size(2, 9)).isEqualTo(48);
        assertThat(FrameLayout.size(0, Integer.MAX_VALUE)).isEqualTo(16 + (1L << 31));
    }

    @Test
    void kindsAreFoundByTheirNumber() {
        for (FrameKind kind : FrameKind.values()) {
            assertThat(FrameKind.of(kind.code())).isEqualTo(kind);
            assertThat(kind.code()).as("%s must be understood by all", kind).isBetween(1, FrameKind.OPTIONAL - 1);
        }
        assertThat(Arrays.stream(FrameKind.values()).map(FrameKind::code).collect(Collectors.toSet()))
                .hasSameSizeAs(FrameKind.values());
        assertThat(FrameKind.of(0)).isNull();
        assertThat(FrameKind.of(44)).isNull();
        assertThat(FrameKind.of(FrameKind.OPTIONAL)).isNull();
        assertThat(FrameKind.of(255)).isNull();
    }

    @Test
    void errorsAreFoundByTheirNumber() {
        assertThat(Arrays.stream(ErrorCode.values()).map(code -> code.code() + " " + code))
                .containsExactly(
                        "1 FAILED",
                        "2 NO_SUCH_PORT",
                        "3 REFUSED",
                        "4 OVERLOADED",
                        "5 TOO_LARGE",
                        "6 PROTOCOL",
                        "7 PATH_REQUIRED");
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.code())).isEqualTo(code);
        }
        assertThat(ErrorCode.of(0)).isEqualTo(ErrorCode.FAILED);
        assertThat(ErrorCode.of(-1)).isEqualTo(ErrorCode.FAILED);
        assertThat(ErrorCode.of(99)).isEqualTo(ErrorCode.FAILED);
    }

    @Test
    void aFrameThatIsSetAgainHasNothingOfTheOneBefore() {
        ByteBuf body = Unpooled.buffer().writeZero(3);
        Frame frame = new Frame()
                .set(FrameKind.CREDIT, 7, 8, 9)
                .words(1, 2)
                .control(new byte[] {1})
                .body(body);

        assertThat(frame.set(FrameKind.OPEN, 0, 1, 0)).isSameAs(frame);
        assertThat(frame.length()).isZero();
        assertThat(frame.flags()).isZero();
        assertThat(frame.first()).isZero();
        assertThat(frame.second()).isZero();
        assertThat(body.refCnt()).as("ownership is not the holder's matter").isEqualTo(1);
        body.release();
    }

    @Test
    void releasesItsBodyOnce() {
        ByteBuf body = Unpooled.buffer().writeZero(3);
        Frame frame = new Frame().set(FrameKind.DATA, 0, 1, 0).body(body);
        frame.release();
        frame.release();

        assertThat(body.refCnt()).isZero();
        assertThat(frame.bodyLength()).isZero();
    }

    @Test
    void aRegionOfAFileIsItsBody() {
        DefaultFileRegion region = new DefaultFileRegion(new File("never-opened"), 100, 12);
        Frame frame =
                new Frame().set(FrameKind.DATA, 0, 1, 0).control(new byte[4]).region(region);

        assertThat(frame.bodyLength()).isEqualTo(12);
        assertThat(frame.length()).isEqualTo(16);
        frame.release();
        assertThat(region.refCnt()).isZero();
    }

    @Test
    void tellsItsFlags() {
        Frame frame = new Frame().set(FrameKind.DATA, 0b101, 1, 0);

        assertThat(frame.has(0b100)).isTrue();
        assertThat(frame.has(0b010)).isFalse();
        assertThat(frame.has(Frame.LINK_FLAGS)).isFalse();
    }
}
