package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FairPlacesTest {

    private final FairPlaces places = new FairPlaces(256);

    private int fill(Object peer, Object identity) {
        int count = 0;
        while (places.enter(peer, identity)) {
            count++;
        }
        return count;
    }

    @Test
    void eachPeerGetsHalfOfWhatOthersLeave() {
        assertThat(fill("a", 1)).isEqualTo(128);
        assertThat(fill("b", 2)).isEqualTo(64);
        assertThat(fill("c", 3)).isEqualTo(32);

        for (int i = 0; i < 128; i++) {
            places.leave("a", 1);
        }
        assertThat(fill("b", 2)).isEqualTo(48);
        assertThat(fill("a", 1)).isEqualTo(56);
    }

    /** Others of the same identity get their first one, and other identities a quarter. */
    @Test
    void manyPeersOfOneIdentityLeaveOthersTheirShare() {
        int all = 0;
        for (int peer = 0; peer < 10; peer++) {
            all += fill(peer, "same");
        }
        assertThat(all).isBetween(192, 202);
        assertThat(fill("other of the same", "same")).isEqualTo(1);
        assertThat(fill("other", "another")).isBetween(26, 32);
    }

    /** Who comes as very many peers, each with one place. */
    @Test
    void firstPlacesOfOneIdentityLeaveOthersTheirShare() {
        int all = 0;
        for (int peer = 0; peer < 500; peer++) {
            all += places.enter(peer, "same") ? 1 : 0;
        }
        assertThat(all).isEqualTo(224);
        assertThat(fill("other", "another")).isEqualTo(16);
    }

    @Test
    void fewPlaces() {
        FairPlaces one = new FairPlaces(1);
        assertThat(one.enter("a", 1)).isTrue();
        assertThat(one.enter("a", 1)).isFalse();
        assertThat(one.enter("b", 2)).isFalse();
        one.leave("a", 1);
        assertThat(one.enter("b", 2)).isTrue();
        FairPlaces three = new FairPlaces(3);
        assertThat(three.enter("a", 1)).isTrue();
        assertThat(three.enter("a", 1)).isTrue();
        assertThat(three.enter("a", 1)).isFalse();
        assertThat(three.enter("b", 1)).isTrue();
    }
}
