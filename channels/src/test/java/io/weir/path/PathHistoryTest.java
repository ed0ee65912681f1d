package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerId;
import io.weir.peer.PathDecision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;

class PathHistoryTest {

    private final PathDecision first = decision(0);
    private final PathHistory history = new PathHistory(first);

    private static PathDecision decision(int number) {
        return new PathDecision(new PeerId(new UUID(0, 1), "peer", 1), List.of(), Instant.EPOCH, "move " + number, "");
    }

    private static List<PathDecision> decisions(int from, int to) {
        return IntStream.range(from, to).mapToObj(PathHistoryTest::decision).toList();
    }

    private void move(int from, int to) {
        decisions(from, to).forEach(history::moved);
    }

    @Test
    void itBeginsWithWhatTheSessionBeginsWith() {
        assertThat(history.present()).isEqualTo(first);
        assertThat(history.all()).containsExactly(first);
        assertThat(history.moves()).isZero();
    }

    @Test
    void thePresentOneIsTheLast() {
        move(1, 4);
        assertThat(history.present()).isEqualTo(decision(3));
        assertThat(history.all()).isEqualTo(decisions(0, 4));
        assertThat(history.moves()).isEqualTo(3);
    }

    @Test
    void theLastOnesAreRememberedAndAllAreCounted() {
        move(1, 100);
        assertThat(history.all()).isEqualTo(decisions(100 - PathHistory.LENGTH, 100));
        assertThat(history.moves()).isEqualTo(99);
    }

    @Test
    void whatSomebodyHasLookedUpStaysAsItIs() {
        List<PathDecision> before = history.all();
        move(1, 3);
        assertThat(before).containsExactly(first);
    }

    @Test
    void whoWatchesGetsWhatIsRememberedAndWhatFollowsUntilTheEnd() {
        move(1, 20);
        List<PathDecision> seen = new ArrayList<>();
        List<String> end = new ArrayList<>();
        var unused = history.decisions().subscribe(seen::add, error -> end.add("" + error), () -> end.add("complete"));
        assertThat(seen).isEqualTo(decisions(20 - PathHistory.LENGTH, 20));
        move(20, 22);
        assertThat(seen).hasSize(PathHistory.LENGTH + 2).endsWith(decision(20), decision(21));
        assertThat(end).isEmpty();
        history.end();
        assertThat(end).containsExactly("complete");
    }

    @Test
    void whoComesBehindTheEndGetsWhatIsRemembered() {
        move(1, 3);
        history.end();
        assertThat(history.decisions().collectList().block()).isEqualTo(decisions(0, 3));
        assertThat(history.present()).isEqualTo(decision(2));
    }

    @Test
    void decisionsBehindTheEndAreOnlyRemembered() {
        history.end();
        move(1, 2);
        history.end();
        assertThat(history.present()).isEqualTo(decision(1));
        assertThat(history.decisions().collectList().block()).containsExactly(first);
    }

    @Test
    void whoAsksForNothingMissesNothingOfTheLastOnesAndKeepsNobodyElseBack() {
        List<PathDecision> seen = new ArrayList<>();
        BaseSubscriber<PathDecision> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                // Asks later.
            }

            @Override
            protected void hookOnNext(PathDecision value) {
                seen.add(value);
            }
        };
        history.decisions().subscribe(slow);
        List<PathDecision> seenByOther = new ArrayList<>();
        var unused = history.decisions().subscribe(seenByOther::add);
        move(1, 50);
        assertThat(seenByOther).isEqualTo(decisions(0, 50));
        assertThat(seen).isEmpty();
        slow.requestUnbounded();
        assertThat(seen).endsWith(decisions(50 - PathHistory.LENGTH, 50).toArray(PathDecision[]::new));
    }
}
