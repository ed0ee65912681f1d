package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.Optional;

/**
 * Cells that somebody has named: those of a scenario, of one size only, of one entrant only.
 *
 * @param size payload bytes; empty: all that the scenario has
 * @param entrant as on the command line; empty: all that take part
 */
record CellChoice(Scenario scenario, Optional<Integer> size, Optional<String> entrant) {

    /**
     * Reads {@code rtt}, {@code rtt/32}, {@code rtt/32/weir-shm} or {@code rtt//weir-shm}.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    static CellChoice of(String text) {
        String[] parts = text.split("/", -1);
        if (parts.length > 3) {
            throw new IllegalArgumentException(
                    "A cell is SCENARIO, SCENARIO/SIZE or SCENARIO/SIZE/ENTRANT, where SIZE may be left empty, not \""
                            + text + "\".");
        }
        return new CellChoice(Scenario.of(parts[0]), part(parts, 1).map(size -> bytes(size, text)), part(parts, 2));
    }

    private static Optional<String> part(String[] parts, int index) {
        return parts.length <= index || parts[index].isEmpty() ? Optional.empty() : Optional.of(parts[index]);
    }

    private static int bytes(String size, String text) {
        try {
            return Integer.parseInt(size);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "The size of the cell \"" + text + "\" is a number of bytes, not \"" + size + "\".", e);
        }
    }

    boolean covers(Cell cell, String name) {
        return scenario == cell.scenario()
                && size.map(bytes -> bytes == cell.size()).orElse(true)
                && entrant.map(name::equals).orElse(true);
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return scenario.label() + '/' + size.map(String::valueOf).orElse("") + '/' + entrant.orElse("");
    }
}
