package io.weir.service;

import io.weir.service.remote.Callee;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The instances that may be called at this moment. Immutable, except that instances may leave. */
final class Line implements IntUnaryOperator {

    static final Line EMPTY = new Line(List.of());

    private final Callee[] callees;

    Line(List<Callee> callees) {
        this.callees = callees.toArray(Callee[]::new);
    }

    /** Null if nobody is there. Takes no lock and allocates nothing. */
    @Nullable
    Callee choose(Balancer balancer) {
        int count = callees.length;
        if (count < 2) {
            return count == 0 || callees[0].hasLeft() ? null : callees[0];
        }
        int chosen = balancer.choose(count, this);
        if (chosen < 0 || chosen >= count) {
            throw new IllegalStateException(
                    "the balancer has chosen number " + chosen + " of " + count + ", which are counted from 0");
        }
        return callees[chosen].hasLeft() ? other(chosen) : callees[chosen];
    }

    private @Nullable Callee other(int than) {
        for (int i = 1; i < callees.length; i++) {
            Callee next = callees[(than + i) % callees.length];
            if (!next.hasLeft()) {
                return next;
            }
        }
        return null;
    }

    /** Calls to this one that have not ended. */
    @Override
    public int applyAsInt(int number) {
        return callees[number].outstanding();
    }
}
