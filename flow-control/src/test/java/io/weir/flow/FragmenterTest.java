package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FragmenterTest {

    @Test
    void cutsAlignedPieces() {
        Fragmenter pieces = new Fragmenter(50, 20);

        assertPiece(pieces, 0, 16);
        assertPiece(pieces, 16, 16);
        assertPiece(pieces, 32, 16);
        assertPiece(pieces, 48, 2);
        assertThat(pieces.hasNext()).isFalse();
        assertThat(pieces.length()).isZero();
        assertThatIllegalStateException().isThrownBy(pieces::next);
    }

    @Test
    void askingAgainGivesTheSamePiece() {
        Fragmenter pieces = new Fragmenter(100, 64);

        assertThat(pieces.length()).isEqualTo(64);
        assertThat(pieces.length()).isEqualTo(64);
        assertThat(pieces.offset()).isZero();
    }

    @Test
    void goesOnWithAnotherLimit() {
        Fragmenter pieces = new Fragmenter(100, 64);
        pieces.next();
        pieces.limit(16);
        assertPiece(pieces, 64, 16);
        pieces.limit(1024);
        assertPiece(pieces, 80, 20);
        assertThat(pieces.hasNext()).isFalse();
    }

    @Test
    void anEmptyMessageHasNoPiece() {
        assertThat(new Fragmenter(0, 8).hasNext()).isFalse();
    }

    @Test
    void countsBeyond32Bits() {
        long total = (5L << 30) + 3;
        Fragmenter pieces = new Fragmenter(total, Integer.MAX_VALUE);
        Reassembler joined = new Reassembler(total, total);
        while (pieces.hasNext()) {
            assertThat(joined.accept(pieces.length())).isEqualTo(pieces.offset());
            pieces.next();
        }
        assertThat(joined.complete()).isTrue();
        assertThat(pieces.offset()).isEqualTo(total);
    }

    @Test
    void everyPlanCanBeJoined() {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            long total = 1L + random.nextInt(10_000);
            Fragmenter pieces = new Fragmenter(total, 8 + random.nextInt(500));
            Reassembler joined = new Reassembler(total, 10_000);
            while (pieces.hasNext()) {
                assertThat(joined.complete()).as("seed %d", seed).isFalse();
                assertThat(joined.missing()).as("seed %d", seed).isEqualTo(total - pieces.offset());
                assertThat(pieces.offset() % 8).as("seed %d", seed).isZero();
                assertThat(joined.accept(pieces.length())).as("seed %d", seed).isEqualTo(pieces.offset());
                pieces.next();
                if (random.nextInt(10) == 0) {
                    pieces.limit(8 + random.nextInt(500));
                }
            }
            assertThat(joined.complete()).as("seed %d", seed).isTrue();
        }
    }

    @Test
    void refusesWhatCantBeCut() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Fragmenter(-1, 8))
                .withMessageContaining("-1 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Fragmenter(1, 7))
                .withMessageContaining("at least 8");
        assertThatIllegalArgumentException().isThrownBy(() -> new Fragmenter(1, 8).limit(-8));
    }

    private static void assertPiece(Fragmenter pieces, long offset, int length) {
        assertThat(pieces.hasNext()).isTrue();
        assertThat(pieces.offset()).isEqualTo(offset);
        assertThat(pieces.length()).isEqualTo(length);
        pieces.next();
    }
}
