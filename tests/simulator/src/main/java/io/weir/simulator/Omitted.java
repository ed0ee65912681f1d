package io.weir.simulator;

import java.util.Set;

/** Parts of a schedule that are left out, to find those that matter. */
record Omitted(Set<Integer> parts) {

    static final Omitted NOTHING = new Omitted(Set.of());

    Omitted {
        parts = Set.copyOf(parts);
    }

    boolean contains(int part) {
        return parts.contains(part);
    }
}
