package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.NodeSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlacesTest {

    private final Places places = new Places(256);
    private final List<SessionPair> pairs = new ArrayList<>();

    @AfterEach
    void end() {
        pairs.forEach(SessionPair::end);
    }

    /** A peer of the identity {@code server}, and one of the identity {@code client}. */
    private SessionPair pair() {
        SessionPair pair = new SessionPair(NodeSpec.builder().build(), 1 << 20);
        pairs.add(pair);
        return pair;
    }

    private int takeAll(Peer peer) {
        int count = 0;
        while (places.tryTake(peer)) {
            count++;
        }
        return count;
    }

    @Test
    void nobodyTakesThemAll() {
        SessionPair first = pair();
        assertThat(takeAll(first.client.peer())).isEqualTo(256 * 3 / 4 / 2);
        assertThat(takeAll(first.server.peer())).isBetween(40, 80);
        assertThat(takeAll(pair().client.peer())).isBetween(10, 40);
    }

    /** However many peers somebody makes of himself. */
    @Test
    void eachGetsOneInAnyCase() {
        for (int i = 0; i < 50; i++) {
            assertThat(takeAll(pair().client.peer())).isPositive();
        }
        assertThat(places.taken()).isBetween(192, 256);
        assertThat(takeAll(pair().server.peer())).isGreaterThan(5);
        Places few = new Places(1);
        pairs.forEach(each -> {
            assertThat(few.tryTake(each.server.peer())).isTrue();
            assertThat(few.tryTake(each.server.peer())).isFalse();
        });
    }

    @Test
    void whatWasGivenBackIsThereAgain() {
        Peer peer = pair().client.peer();
        for (int round = 0; round < 3; round++) {
            int count = takeAll(peer);
            assertThat(count).isEqualTo(96);
            for (int i = 0; i < count; i++) {
                places.give(peer);
            }
            assertThat(places.taken()).isZero();
        }
        assertThatThrownBy(() -> places.give(peer)).isInstanceOf(IllegalStateException.class);
    }
}
