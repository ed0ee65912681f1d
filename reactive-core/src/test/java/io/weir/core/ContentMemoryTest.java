package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentMemoryTest {

    private static final InPlaceCodec<byte[]> BYTES = (InPlaceCodec<byte[]>) Codecs.bytes();

    private final ContentMemory memory = new ContentMemory(8);

    /** Whatever comes to pass, the memory can be used again. */
    @AfterEach
    void isUsable() {
        assertThat(memory.inUse()).isFalse();
        memory.write(BYTES, new byte[] {7, 8}, 2);
        assertThat(memory.read(BYTES, 2)).containsExactly(7, 8);
    }

    /** Bytes, at which somebody looks while they are written and read. */
    private record Watched(Watcher watcher) implements InPlaceCodec<byte[]> {

        @FunctionalInterface
        interface Watcher {
            void at(ContentView view);
        }

        @Override
        public int length(byte[] value) {
            return value.length;
        }

        @Override
        public void write(byte[] value, ContentView to) {
            watcher.at(to);
            to.putBytes(0, value);
        }

        @Override
        public byte[] read(ContentView from) {
            watcher.at(from);
            return from.getBytes(0, from.length());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8})
    void valuesLieAtTheBeginning(int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) 3);
        memory.write(BYTES, value, length);

        assertThat(memory.bytes()).hasSize(8);
        assertThat(Arrays.copyOf(memory.bytes(), length)).isEqualTo(value);
        for (int i = length; i < 8; i++) {
            assertThat(memory.bytes()[i]).as("behind it").isZero();
        }
        assertThat(memory.read(BYTES, length)).isEqualTo(value);
        assertThat(memory.read(BYTES, length)).as("once more").isEqualTo(value);
    }

    @Test
    void readsWhatWasPutThere() {
        memory.bytes()[1] = 5;

        assertThat(memory.read(BYTES, 3)).containsExactly(0, 5, 0);
        assertThat(new ContentMemory(0).read(BYTES, 0)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 16, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void impossibleLengthsAreRefused(int length) {
        String message = "a length of " + length + " bytes, where 0 to 8 are possible";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.write(BYTES, new byte[1], length))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.read(BYTES, length))
                .withMessage(message);
        assertThat(memory.bytes()).containsOnly(0);
    }

    @Test
    void aCodecMustNotWriteMoreThanItHasSaid() {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> memory.write(BYTES, new byte[5], 4))
                .withMessage("5 bytes from byte 0 of content of 4 bytes");
    }

    @Test
    void aCodecThatFailsFailsTheCallOnly() {
        IllegalStateException reason = new IllegalStateException("as the test wants");
        Watched failing = new Watched(view -> {
            throw reason;
        });

        assertThatIllegalStateException()
                .isThrownBy(() -> memory.write(failing, new byte[2], 2))
                .isSameAs(reason);
        isUsable();
        assertThatIllegalStateException()
                .isThrownBy(() -> memory.read(failing, 2))
                .isSameAs(reason);
    }

    @Test
    void saysThatACodecIsAtWork() {
        List<Boolean> seen = new ArrayList<>();
        Watched looking = new Watched(view -> seen.add(memory.inUse()));
        memory.write(looking, new byte[2], 2);
        assertThat(memory.inUse()).isFalse();
        var unused = memory.read(looking, 2);

        assertThat(seen).containsExactly(true, true);
    }

    @Test
    void aCodecThatLeadsToAnotherOneInTheSameMemoryGoesOnUnharmed() {
        int[] refused = {0};
        Watched nesting = new Watched(view -> {
            for (ThrowingCallable inner : List.<ThrowingCallable>of(
                    () -> memory.write(BYTES, new byte[] {9, 9, 9}, 3),
                    () -> memory.read(BYTES, 1),
                    () -> memory.write(BYTES, new byte[9], 9))) {
                assertThatIllegalStateException()
                        .isThrownBy(inner)
                        .withMessage("a codec has led to another one that works in the same memory");
                refused[0]++;
            }
            assertThat(view.length()).isEqualTo(2);
        });

        memory.write(nesting, new byte[] {1, 2}, 2);
        assertThat(memory.bytes()).startsWith(1, 2, 0);
        assertThat(memory.read(nesting, 2)).containsExactly(1, 2);
        assertThat(refused[0]).isEqualTo(6);
    }

    @Test
    void aCodecMayLeadToOneThatWorksElsewhere() {
        ContentMemory other = new ContentMemory(8);
        memory.write(new Watched(view -> other.write(BYTES, new byte[] {9}, 1)), new byte[] {1}, 1);

        assertThat(memory.read(BYTES, 1)).containsExactly(1);
        assertThat(other.read(BYTES, 1)).containsExactly(9);
    }

    @Test
    void whatACodecHasKeptIsOfNoUseAfterwards() {
        List<ContentView> kept = new ArrayList<>();
        Watched keeping = new Watched(kept::add);
        memory.write(keeping, new byte[2], 2);
        var unused = memory.read(keeping, 2);

        assertThat(kept).hasSize(2).allSatisfy(view -> {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> view.putByte(0, (byte) 1));
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(view::length);
        });
        assertThat(memory.bytes()).containsOnly(0);
    }
}
