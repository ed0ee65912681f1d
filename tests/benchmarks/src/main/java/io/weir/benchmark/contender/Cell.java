package io.weir.benchmark.contender;

/**
 * What is measured: a scenario with messages of one size.
 *
 * @param size payload bytes of each message, at least 16
 */
public record Cell(Scenario scenario, int size) {

    /** A sequence number and something to check. */
    private static final int SMALLEST = 16;

    public Cell {
        if (size < SMALLEST) {
            throw new IllegalArgumentException("A message has at least " + SMALLEST + " bytes, not " + size + ".");
        }
    }

    /** How many messages are under way at once where messages are answered. */
    int outstanding() {
        return switch (scenario) {
            case ECHO, ASK, CALLS -> Scenario.OUTSTANDING;
            default -> 1;
        };
    }

    public String sizeLabel() {
        if (size % (1 << 20) == 0) {
            return (size >> 20) + " MiB";
        }
        return size % (1 << 10) == 0 ? (size >> 10) + " KiB" : size + " B";
    }

    @Override
    public String toString() {
        return scenario + " " + sizeLabel();
    }
}
