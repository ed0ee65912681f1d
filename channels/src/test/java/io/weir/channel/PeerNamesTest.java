package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerNamesTest {

    @Test
    void namesAreHarmlessAndFew() {
        PeerNames names = new PeerNames();

        assertThat(names.label("two\nlines")).isEqualTo("two?lines");
        for (int i = 1; i < PeerTotals.MAX_NAMES; i++) {
            assertThat(names.label("peer" + i)).isEqualTo("peer" + i);
        }

        assertThat(names.label("one more")).isEqualTo(PeerTotals.OTHERS);
        assertThat(names.label("peer1")).isEqualTo("peer1");
    }
}
