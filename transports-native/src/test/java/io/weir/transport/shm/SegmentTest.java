package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(NothingLeft.class)
class SegmentTest {

    private static final SegmentLayout LAYOUT = new SegmentLayout(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL);

    @Test
    void whatOneSideMakesTheOtherOpens() {
        try (Descriptor file = Segment.allocate(LAYOUT)) {
            Segment made = Segment.begin(file, LAYOUT);
            Segment opened = Segment.open(file, LAYOUT);
            SegmentLayout.LONGS.setRelease(made.mapping().memory(), LAYOUT.pool(), 17L);
            assertThat((long) SegmentLayout.LONGS.getAcquire(opened.mapping().memory(), LAYOUT.pool()))
                    .isEqualTo(17);
            assertThat(opened.mapping().length()).isEqualTo(LAYOUT.length());
            made.mapping().release();
            opened.mapping().release();
        }
    }

    @Test
    void everythingLiesApartAndInside() {
        for (int bits = 16; bits <= 30; bits++) {
            int pool = 1 << bits;
            SegmentLayout layout = new SegmentLayout(SegmentLayout.MAX_RING, pool);
            assertThat(layout.slots()).isGreaterThan(layout.units());
            assertThat(Integer.bitCount(layout.slots())).isOne();
            assertThat(layout.ring()).isGreaterThanOrEqualTo(SegmentLayout.RETURNS + 4 * layout.slots());
            assertThat(layout.ring() % 4096).isZero();
            assertThat(layout.pool()).isEqualTo(layout.ring() + layout.ringSize());
            assertThat(layout.length()).isPositive().isEqualTo(layout.pool() + pool);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1000000, 8388608, ring-size", "32768, 8388608, ring-size", "134217728, 8388608, ring-size",
        "-2147483648, 8388608, ring-size", "1048576, 100000, pool-size", "1048576, 0, pool-size",
        "1048576, -16384, pool-size", "1048576, 1073758208, pool-size"
    })
    void sizesOutOfBoundsAreRefusedByName(int ring, int pool, String name) {
        assertThatThrownBy(() -> new SegmentLayout(ring, pool))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(name);
    }

    @Test
    void refusesMemoryThatIsNotSealed() throws NativeFailure {
        try (Descriptor file = Posix.memoryFile("test", LAYOUT.length())) {
            refused(file, "not sealed");
        }
    }

    @Test
    void refusesWhatIsNoMemoryFile() throws NativeFailure {
        try (Descriptor event = Posix.event()) {
            refused(event, "not sealed");
        }
        Descriptor closed = Posix.event();
        closed.close();
        refused(closed, "not sealed");
    }

    @Test
    void refusesMemoryOfAnotherLength() throws NativeFailure {
        for (long length : new long[] {4096, LAYOUT.length() - 4096, LAYOUT.length() + 4096}) {
            try (Descriptor file = Posix.memoryFile("test", length)) {
                Posix.seal(file);
                refused(file, length + " bytes where " + LAYOUT.length());
            }
        }
    }

    @Test
    void refusesMemoryWithAnotherBeginning() throws NativeFailure {
        try (Descriptor file = Posix.memoryFile("test", LAYOUT.length())) {
            Posix.seal(file);
            refused(file, "begins with 0 instead of");
            Mapping mapping = Posix.map(file, LAYOUT.length());
            SegmentLayout.LONGS.set(mapping.memory(), 0, SegmentLayout.MAGIC + (1L << 32));
            refused(file, "begins with");
            SegmentLayout.LONGS.set(mapping.memory(), 0, SegmentLayout.MAGIC);
            refused(file, "says ring 0 and pool 0");
            SegmentLayout.LONGS.set(mapping.memory(), SegmentLayout.SIZES, LAYOUT.sizes());
            assertThatCode(() -> Segment.open(file, LAYOUT).mapping().release()).doesNotThrowAnyException();
            mapping.release();
        }
    }

    private static void refused(Descriptor file, String text) {
        assertThatThrownBy(() -> Segment.open(file, LAYOUT))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining(text);
    }

    @Test
    void theLengthIsFixedForEver() {
        try (Descriptor file = Segment.allocate(LAYOUT)) {
            assertThat(Posix.isSealed(file)).isTrue();
            assertThatThrownBy(() -> Posix.seal(file))
                    .isInstanceOf(NativeFailure.class)
                    .hasMessageContaining("F_ADD_SEALS")
                    .hasMessageContaining("not permitted");
        }
    }

    @Test
    void aDoorbellThatNobodyHearsIsRungInVain() {
        Doorbell bell = TestRing.silentDoorbell();
        bell.ring();
        assertThat(bell.silence()).isTrue();
        bell.close();
        bell.ring();
        assertThat(bell.silence()).isTrue();
    }

    @Test
    void aHalfThatIsRefusedLeavesNothing() throws NativeFailure {
        assertThatThrownBy(() -> ShmHalf.open(Posix.event(), LAYOUT)).isInstanceOf(ProtocolMismatch.class);
        ShmHalf half = ShmHalf.make(LAYOUT, new MemoryBudget(), LAYOUT.length());
        half.close();
    }
}
