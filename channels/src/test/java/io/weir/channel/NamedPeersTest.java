package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.PeerSpec;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Many of them, in virtual time. */
class NamedPeersTest {

    private static final Duration LOOK = Duration.ofMillis(100);

    private final ManualLoop loop = new ManualLoop();
    private final Map<String, Integer> triesOf = new HashMap<>();
    private final AtomicInteger tries = new AtomicInteger();

    private NamedPeers peers(int count, PeerSpec.Connect connect) {
        Map<String, PeerSpec> specs = new HashMap<>();
        IntStream.range(0, count)
                .forEach(i ->
                        specs.put("peer-" + i, PeerSpec.of("desk:" + (7000 + i)).with(connect)));
        return new NamedPeers(
                specs,
                loop,
                (name, spec) -> Mono.defer(() -> {
                    tries.incrementAndGet();
                    triesOf.merge(name, 1, Integer::sum);
                    return Mono.error(new PeerUnavailable("nobody listens at " + spec.address()));
                }));
    }

    private void pass(Duration time) {
        for (long i = 0; i < time.dividedBy(LOOK); i++) {
            loop.advance(LOOK);
        }
    }

    /** When all are away, the tries of all together stay rare, and no peer is forgotten. */
    @ParameterizedTest
    @CsvSource({"1, 10", "50, 10", "200, 40"})
    void triesStayRare(int count, int longest) {
        NamedPeers peers = peers(count, PeerSpec.Connect.EAGER);
        peers.begin(Duration.ofSeconds(1)).subscribe();
        pass(Duration.ofMinutes(5));
        int before = tries.get();
        triesOf.clear();
        Duration time = Duration.ofMinutes(10);
        pass(time);
        double most = count * time.toSeconds() / (0.75 * longest);
        double least = count * time.toSeconds() / (1.25 * longest);
        assertThat((double) tries.get() - before).isBetween(0.9 * least, most);
        assertThat(triesOf).hasSize(count);
        assertThat(loop.timers()).as("one for each peer").isEqualTo(count);
        peers.close(new Refused("the test is over"));
        loop.settle();
        assertThat(loop.timers()).isZero();
    }

    /** All are tried at once when the node starts; then they drift apart. */
    @Test
    void theyDoNotStayInStep() {
        NamedPeers peers = peers(200, PeerSpec.Connect.EAGER);
        peers.begin(Duration.ofSeconds(1)).subscribe();
        pass(Duration.ofMinutes(5));
        int most = 0;
        for (int second = 0; second < 120; second++) {
            int before = tries.get();
            pass(Duration.ofSeconds(1));
            most = Math.max(most, tries.get() - before);
        }
        assertThat(most).as("tries in one second").isLessThan(100);
        peers.close(new Refused("the test is over"));
        loop.settle();
    }

    @Test
    void nobodyTriesWhatNobodyWants() {
        NamedPeers peers = peers(200, PeerSpec.Connect.LAZY);
        peers.begin(Duration.ofSeconds(1)).subscribe();
        pass(Duration.ofMinutes(1));
        assertThat(tries).hasValue(0);
        assertThat(loop.timers()).isZero();
        peers.close(new Refused("the test is over"));
        loop.settle();
    }
}
