package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerNamesTest {

    private final PeerNames names = new PeerNames();

    @Test
    void namesAreHarmlessAndFew() {
        assertThat(names.label("two\nlines", null)).isEqualTo("two?lines");
        for (int i = 1; i < PeerNames.MOST; i++) {
            assertThat(names.label("peer" + i, null)).isEqualTo("peer" + i);
        }

        assertThat(names.label("one more", null)).isEqualTo(PeerNames.OTHERS);
        assertThat(names.label("peer1", null)).isEqualTo("peer1");
    }

    @Test
    void whoInventsNamesLeavesSomeForOthers() {
        for (int i = 0; i < 10 * PeerNames.MOST; i++) {
            String label = names.label("invented" + i, "there");
            assertThat(label).isEqualTo(i < PeerNames.MOST / 2 ? "invented" + i : PeerNames.OTHERS);
        }
        for (int i = 0; i < PeerNames.MOST / 4; i++) {
            assertThat(names.label("benign" + i, "elsewhere")).isEqualTo("benign" + i);
        }
        assertThat(names.label("invented0", "elsewhere")).isEqualTo("invented0");
    }
}
