package io.weir.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Everything that a run has found, as it is written.
 *
 * @param bestRingRttNanos the ring's shortest round trip; near is up to three times as long, and up to
 *     {@link Stretch#NEAR_NANOS}
 * @param standings medians
 * @param bars how Weir stands to its own bars
 * @param samples every single measurement, also those that do not count
 * @param failures what could not be measured
 */
record Results(
        Conditions conditions,
        long bestRingRttNanos,
        Collection<Standing> standings,
        List<Judgement> bars,
        List<Sample> samples,
        List<String> failures) {

    static Results of(Conditions conditions, long bestRingRttNanos, List<Sample> samples, List<String> failures) {
        Standings standings = Standings.of(samples, bestRingRttNanos);
        return new Results(
                conditions, bestRingRttNanos, standings.all(), SpeedTable.judge(standings), samples, failures);
    }

    Results with(List<Judgement> more) {
        List<Judgement> all = new ArrayList<>(bars);
        all.addAll(more);
        return new Results(conditions, bestRingRttNanos, standings, all, samples, failures);
    }

    Standings ranked() {
        return Standings.of(samples, bestRingRttNanos);
    }

    void writeTo(Path file) throws IOException {
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        Files.writeString(file, json.writeValueAsString(this) + "\n");
    }
}
