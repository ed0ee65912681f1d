package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one configuration of an entrant reached in a cell: medians over the rounds that count.
 *
 * @param stretch of which rounds these are the medians
 * @param sound false if there was no round that counts, so that these are the medians of disturbed ones
 * @param near rounds that were near
 * @param far rounds that were far
 * @param discarded rounds in which the processors moved or others worked on them
 * @param value nanoseconds of a round trip, or messages in a second
 * @param overRing the value divided by what the ring reached just before
 * @param cpuSecondsPerMillion processor time of both processes for a million messages
 * @param serverCores processor time of the server in cores
 * @param clientCores processor time of the client in cores
 */
record Standing(
        String entrant,
        String variant,
        Cell cell,
        Stretch stretch,
        boolean sound,
        int near,
        int far,
        int discarded,
        double value,
        double overRing,
        double p50Nanos,
        double p99Nanos,
        double p999Nanos,
        double rate,
        double cpuSecondsPerMillion,
        double serverCores,
        double clientCores,
        double serverRssBytes,
        double clientRssBytes,
        double serverSwitchesPerSecond,
        double clientSwitchesPerSecond,
        double serverHeldBytes,
        double clientHeldBytes) {

    /**
     * @param all at least one sample of this configuration
     * @param stretch whose samples to use if there are any
     */
    static Standing of(List<Sample> all, Stretch stretch, long bestRttNanos) {
        List<Sample> sound =
                all.stream().filter(one -> one.isSound(bestRttNanos)).toList();
        List<Sample> wanted =
                all.stream().filter(one -> one.isSoundIn(stretch, bestRttNanos)).toList();
        int near = (int) sound.stream()
                .filter(one -> one.stretch(bestRttNanos) == Stretch.NEAR)
                .count();
        List<Sample> used = wanted.isEmpty() ? all : wanted;
        Sample one = all.get(0);
        return new Standing(
                one.entrant(),
                one.variant(),
                one.cell(),
                stretch,
                !wanted.isEmpty(),
                near,
                sound.size() - near,
                all.size() - sound.size(),
                median(used, Sample::value),
                median(used, Sample::overRing),
                median(used, sample -> sample.outcome().measured().p50Nanos()),
                median(used, sample -> sample.outcome().measured().p99Nanos()),
                median(used, sample -> sample.outcome().measured().p999Nanos()),
                median(used, sample -> sample.outcome().measured().rate()),
                median(used, sample -> sample.outcome().cpuSecondsPerMillion()),
                median(used, sample -> sample.outcome().serverCores()),
                median(used, sample -> sample.outcome().clientCores()),
                median(used, sample -> sample.outcome().serverRssBytes()),
                median(used, sample -> sample.outcome().clientRssBytes()),
                median(used, sample -> sample.outcome().serverSwitchesPerSecond()),
                median(used, sample -> sample.outcome().clientSwitchesPerSecond()),
                median(used, sample -> sample.outcome().serverHeldBytes()),
                median(used, sample -> sample.outcome().measured().heldBytes()));
    }

    boolean isBetterThan(Standing other) {
        if (sound != other.sound) {
            return sound;
        }
        return cell.scenario().isBetter(value, other.value);
    }

    double megabytesPerSecond() {
        return rate * cell.size() / 1e6;
    }

    static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return Figures.median(samples.stream().mapToDouble(figure).toArray());
    }
}
