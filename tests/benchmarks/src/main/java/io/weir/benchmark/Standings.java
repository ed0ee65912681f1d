package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What everybody reached. In one cell, all are judged by the same kind of rounds, near or far: that of which most are
 * left to the one who has fewest.
 */
final class Standings {

    private record Key(String entrant, String variant, Cell cell) {}

    private final Map<Key, Standing> byKey = new LinkedHashMap<>();

    private Standings() {}

    static Standings of(List<Sample> samples, long bestRttNanos) {
        Standings standings = new Standings();
        Map<Cell, List<Sample>> byCell = grouped(samples, Sample::cell);
        byCell.forEach((cell, ofCell) -> {
            Stretch stretch = stretchFor(ofCell, bestRttNanos);
            grouped(ofCell, one -> new Key(one.entrant(), one.variant(), cell))
                    .forEach((key, own) -> standings.byKey.put(key, Standing.of(own, stretch, bestRttNanos)));
        });
        return standings;
    }

    /** In the order in which the cells were measured. */
    Collection<Standing> all() {
        return byKey.values();
    }

    List<Cell> cells() {
        return byKey.keySet().stream().map(Key::cell).distinct().toList();
    }

    /** Who was measured in this cell. */
    List<String> entrants(Cell cell) {
        return byKey.keySet().stream()
                .filter(one -> one.cell().equals(cell))
                .map(Key::entrant)
                .distinct()
                .toList();
    }

    /** The entrant's best configuration in this cell; empty if it was not measured there. */
    Optional<Standing> best(String entrant, Cell cell) {
        return byKey.values().stream()
                .filter(one -> one.entrant().equals(entrant) && one.cell().equals(cell))
                .reduce((one, other) -> other.isBetterThan(one) ? other : one);
    }

    /**
     * The configuration to go on with: the one that has reached the best of all. Not that with the best median, as the
     * first of few rounds is worse than it should be where both processes spin and their compilers find no processor.
     */
    static Optional<String> mostPromising(List<Sample> samples, String entrant, Cell cell, long bestRttNanos) {
        return samples.stream()
                .filter(one -> one.entrant().equals(entrant) && one.cell().equals(cell) && one.isSound(bestRttNanos))
                .reduce((one, other) -> other.isBetterThan(one) ? other : one)
                .map(Sample::variant);
    }

    private static Stretch stretchFor(List<Sample> ofCell, long bestRttNanos) {
        long near = fewest(ofCell, Stretch.NEAR, bestRttNanos);
        long far = fewest(ofCell, Stretch.FAR, bestRttNanos);
        return far > near ? Stretch.FAR : Stretch.NEAR;
    }

    private static long fewest(List<Sample> ofCell, Stretch stretch, long bestRttNanos) {
        return grouped(ofCell, Sample::entrant).values().stream()
                .mapToLong(own -> own.stream()
                        .filter(one -> one.isSoundIn(stretch, bestRttNanos))
                        .count())
                .min()
                .orElse(0);
    }

    private static <K> Map<K, List<Sample>> grouped(List<Sample> samples, Function<Sample, K> by) {
        return samples.stream()
                .collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toCollection(ArrayList::new)));
    }
}
