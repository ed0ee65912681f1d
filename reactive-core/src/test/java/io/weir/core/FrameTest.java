package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private static final byte[] CONTENT = {1, 2, 3, 4, 5};

    /** A frame with the first three of five bytes, lent, and four of control data. */
    private static Frame lending(ContentMemory memory) {
        System.arraycopy(CONTENT, 0, memory.bytes(), 0, CONTENT.length);
        return new Frame().set(FrameKind.DATA, 0, 1, 0).control(new byte[4]).lend(memory, 3);
    }

    private static void overwrite(ContentMemory memory) {
        Arrays.fill(memory.bytes(), (byte) 9);
    }

    @Test
    void aBodyMayBeOnlyLent() {
        ContentMemory memory = new ContentMemory(8);
        Frame frame = lending(memory);

        assertThat(frame.isLent()).isTrue();
        assertThat(frame.content()).isSameAs(memory);
        assertThat(frame.bodyLength()).isEqualTo(3);
        assertThat(frame.length()).isEqualTo(7);
        assertThat(FrameLayout.length(frame.word0())).isEqualTo(7);
        assertThat(FrameLayout.controlLength(frame.word0())).isEqualTo(4);
        assertThat(frame.toString()).contains("control=4 B, body=3 B");
        assertThat(frame.read((InPlaceCodec<byte[]>) Codecs.bytes())).containsExactly(1, 2, 3);
        assertThat(frame.isLent()).as("and not used up").isTrue();
        assertThat(memory.inUse()).isFalse();
    }

    @Test
    void aFrameThatWasNeverLentHasABodyOfItsOwn() {
        Frame frame = new Frame().set(FrameKind.DATA, 0, 1, 0);

        assertThat(frame.isLent()).isFalse();
        assertThat(frame.lendsNext()).isFalse();
        frame.lendNext();
        assertThat(frame.lendsNext()).isTrue();
        assertThat(frame.set(FrameKind.DATA, 0, 1, 0).lendsNext())
                .as("what comes next lies in the same holder")
                .isTrue();
    }

    @Test
    void whoTakesALentBodyGetsACopyOfTheirOwn() {
        LoopBuffers buffers = new LoopBuffers();
        for (ContentMemory memory : List.of(new ContentMemory(8), new ContentMemory(8, buffers))) {
            Frame frame = lending(memory);
            frame.lendNext();
            ByteBuf body = frame.body();
            overwrite(memory);

            assertThat(ByteBufUtil.getBytes(body)).containsExactly(1, 2, 3);
            assertThat(body.refCnt()).isEqualTo(1);
            assertThat(frame.isLent()).isFalse();
            assertThat(frame.body()).as("copied once").isSameAs(body);
            assertThat(frame.length()).isEqualTo(7);
            assertThat(frame.lendsNext()).as("lending was for nothing").isFalse();
            frame.clear();
            assertThat(body.refCnt()).as("the caller's from now on").isEqualTo(1);
            body.release();
        }
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void aCopyIsReleasedWithItsFrame() {
        LoopBuffers buffers = new LoopBuffers();
        Frame frame = lending(new ContentMemory(8, buffers));
        ByteBuf body = frame.body();
        assertThat(buffers.outstanding()).isEqualTo(1);
        frame.release();

        assertThat(body.refCnt()).isZero();
        assertThat(buffers.outstanding()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, LoopBuffers.LARGEST})
    void everyLengthCanBeCopied(int length) {
        LoopBuffers buffers = new LoopBuffers();
        ContentMemory memory = new ContentMemory(LoopBuffers.LARGEST, buffers);
        new Random(3).nextBytes(memory.bytes());
        ByteBuf body =
                new Frame().set(FrameKind.DATA, 0, 1, 0).lend(memory, length).body();

        assertThat(ByteBufUtil.getBytes(body)).isEqualTo(Arrays.copyOf(memory.bytes(), length));
        body.release();
        assertThat(buffers.outstanding()).isZero();
    }

    @Test
    void whatWasLentIsForgottenAndNobodysToRelease() {
        LoopBuffers buffers = new LoopBuffers();
        ContentMemory memory = new ContentMemory(8, buffers);
        ByteBuf other = Unpooled.buffer().writeZero(2);

        assertEmpty(lending(memory).set(FrameKind.DATA, 0, 1, 0));
        Frame cleared = lending(memory);
        cleared.clear();
        assertEmpty(cleared);
        Frame released = lending(memory);
        released.release();
        assertEmpty(released);
        assertThat(lending(memory).body(other).body()).isSameAs(other);
        assertThat(lending(memory).set(FrameKind.DATA, 0, 1, 0, other).body()).isSameAs(other);
        assertThat(other.refCnt()).isEqualTo(1);
        other.release();
        assertThat(memory.bytes()).as("untouched").startsWith(CONTENT);
        assertThat(buffers.outstanding()).isZero();
    }

    private static void assertEmpty(Frame frame) {
        assertThat(frame.isLent()).isFalse();
        assertThat(frame.bodyLength()).isZero();
        assertThat(frame.body().isReadable()).isFalse();
    }

    @Test
    void theMemoryThatIsLentMayBeAnotherOneEachTime() {
        ContentMemory first = new ContentMemory(8);
        ContentMemory second = new ContentMemory(8);
        second.bytes()[0] = 7;
        Frame frame = lending(first).lend(second, 1);

        assertThat(frame.content()).isSameAs(second);
        assertThat(ByteBufUtil.getBytes(frame.body())).containsExactly(7);
    }
}
