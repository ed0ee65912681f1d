package io.weir.tck;

/**
 * How often a test repeats what it hopes to catch something by. Where each step takes a hundred times as long, as on an
 * emulated processor, {@code -Dweir.test.effort} says how many per cent of it are enough.
 */
final class Effort {

    private static final int PER_CENT = Integer.getInteger("weir.test.effort", 100);

    private Effort() {}

    /** So often, where usually it would be this often. */
    static int of(int usual) {
        return (int) Math.max(1, (long) usual * PER_CENT / 100);
    }
}
