package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.PathPolicy;
import io.weir.core.PeerId;
import io.weir.path.PathSelector.Candidate;
import io.weir.path.PathSelector.Rejected;
import io.weir.path.PathSelector.Selection;
import io.weir.path.PathSelector.Try;
import io.weir.peer.PathDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;

class CandidatesTest {

    private static final PeerId PEER = new PeerId(new UUID(1, 2), "billing", 1);

    private final Disposable limit = Disposables.single();

    private static Candidates candidates(String... paths) {
        return of(new PathPolicy(List.of(paths), Map.of()), paths);
    }

    private static Candidates measured(String... paths) {
        List<String> order = new ArrayList<>(List.of(paths));
        order.add(0, PathPolicy.MEASURED);
        return of(new PathPolicy(order, Map.of()), paths);
    }

    /** Each may be tried, but for the network of pigeons. */
    private static Candidates of(PathPolicy policy, String... paths) {
        List<Candidate> all = new ArrayList<>();
        for (String path : paths) {
            all.add(path.equals("pigeons") ? new Rejected(path, "they sleep") : new Try(path));
        }
        return new Candidates(any -> new Selection(all, null), policy, "tcp");
    }

    private static List<String> rest(Candidates candidates) {
        List<String> rest = new ArrayList<>();
        for (String path; (path = candidates.next()) != null; ) {
            rest.add(path);
        }
        return rest;
    }

    private static PathDecision.Attempt attempt(Candidates candidates, String path) {
        return candidates.recorder().build(PEER).attempts().stream()
                .filter(attempt -> attempt.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    private static void surveyed(Candidates candidates, String path, int nanos) {
        candidates.surveyed(path, Duration.ofNanos(nanos), Duration.ZERO);
    }

    @Test
    void theyHaveTheirTurnsInTheOrderOfThePolicy() {
        Candidates candidates = candidates("shm", "pigeons", "tcp", "gm");
        assertThat(candidates.needSurvey()).isFalse();
        assertThat(rest(candidates)).containsExactly("shm", "tcp", "gm");
        assertThat(attempt(candidates, "pigeons").reason()).isEqualTo("they sleep");
    }

    @Test
    void aRefusalLeavesNone() {
        Candidates candidates = new Candidates(
                any -> new Selection(List.of(new Try("tcp")), "gm is required"),
                new PathPolicy(List.of("tcp"), Map.of()),
                "tcp");
        assertThat(candidates.refusal()).isEqualTo("gm is required");
        assertThat(rest(candidates)).isEmpty();
    }

    @Test
    void othersMayStandBeforeTheBootstrapConnection() {
        assertThat(candidates("shm", "tcp").hasOthersBeforeBootstrap()).isTrue();
        assertThat(candidates("pigeons", "tcp", "shm").hasOthersBeforeBootstrap())
                .isFalse();
        assertThat(candidates("shm", "gm").hasOthersBeforeBootstrap()).isFalse();
    }

    @Test
    void theBootstrapConnectionMayHaveItsTurnFirst() {
        Candidates candidates = candidates("shm", "gm", "tcp", "elan");
        assertThat(candidates.next()).isEqualTo("shm");
        candidates.bootstrapFirst();
        assertThat(candidates.hasBootstrap()).isTrue();
        assertThat(rest(candidates)).containsExactly("tcp", "gm", "elan");
        assertThat(candidates.hasBootstrap()).isFalse();
        assertThat(attempt(candidates, "gm").reason()).isEqualTo("it is tried when the session has begun");
        assertThat(attempt(candidates, "elan").reason()).doesNotContain("when the session has begun");
    }

    @Test
    void aSurveyNeedsAChoice() {
        assertThat(measured("shm", "tcp").needSurvey()).isTrue();
        assertThat(measured("pigeons", "tcp").needSurvey()).isFalse();
    }

    @Test
    void afterASurveyTheFastestHasItsTurnFirst() {
        Candidates candidates = measured("shm", "gm", "pigeons", "tcp");
        candidates.beginSurvey(limit);
        assertThat(candidates.next()).isEqualTo("tcp");
        surveyed(candidates, "tcp", 30);
        assertThat(candidates.next()).isEqualTo("shm");
        surveyed(candidates, "shm", 20);
        assertThat(candidates.next()).isEqualTo("gm");
        surveyed(candidates, "gm", 10);
        assertThat(candidates.inSurvey()).isTrue();
        assertThat(candidates.next()).isEqualTo("gm");
        assertThat(candidates.inSurvey()).isFalse();
        assertThat(limit.isDisposed()).isTrue();
        assertThat(rest(candidates)).containsExactly("shm", "tcp");
        assertThat(candidates.recorder().build(PEER).attempts())
                .extracting(PathDecision.Attempt::path)
                .containsExactly("gm", "shm", "tcp", "pigeons");
        assertThat(attempt(candidates, "gm").roundTrip()).isEqualTo(Duration.ofNanos(10));
    }

    @Test
    void aSurveyThatIsLateDecidesByWhatItHas() {
        Candidates candidates = measured("shm", "gm", "tcp");
        candidates.beginSurvey(limit);
        assertThat(candidates.next()).isEqualTo("tcp");
        surveyed(candidates, "tcp", 30);
        assertThat(candidates.next()).isEqualTo("shm");
        candidates.endSurvey();
        assertThat(candidates.inSurvey()).isFalse();
        assertThat(limit.isDisposed()).isTrue();
        candidates.endSurvey();
        assertThat(rest(candidates)).containsExactly("tcp", "shm", "gm");
    }

    @Test
    void theEndOfTheHandshakeEndsTheSurvey() {
        Candidates candidates = measured("shm", "tcp");
        candidates.beginSurvey(limit);
        candidates.end();
        assertThat(limit.isDisposed()).isTrue();
        candidates("tcp").end();
    }
}
