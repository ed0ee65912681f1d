package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ReassemblerTest {

    @Test
    void placesPiecesInOrder() {
        Reassembler message = new Reassembler(30, 30);

        assertThat(message.accept(10)).isZero();
        assertThat(message.accept(19)).isEqualTo(10);
        assertThat(message.complete()).isFalse();
        assertThat(message.accept(1)).isEqualTo(29);
        assertThat(message.complete()).isTrue();
    }

    @Test
    void refusesWhatASenderMayNotClaim() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Reassembler(31, 30))
                .withMessage("a message in pieces of 31 bytes is out of range: 1 to 30");
        assertThatIllegalArgumentException().isThrownBy(() -> new Reassembler(0, 30));
        assertThatIllegalArgumentException().isThrownBy(() -> new Reassembler(Long.MIN_VALUE, 30));
    }

    @Test
    void refusesPiecesThatDoNotFitAndGoesOn() {
        Reassembler message = new Reassembler(30, 64);
        assertThat(message.accept(20)).isZero();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> message.accept(11))
                .withMessage("a piece of 11 bytes after 20 of 30");
        assertThatIllegalArgumentException().isThrownBy(() -> message.accept(0));
        assertThatIllegalArgumentException().isThrownBy(() -> message.accept(-5));
        assertThat(message.accept(10)).isEqualTo(20);
        assertThatIllegalArgumentException().as("complete").isThrownBy(() -> message.accept(1));
    }
}
