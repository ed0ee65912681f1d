package io.weir.service;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/** Who has the fewest calls, looked for from another place each time. */
final class LeastOutstanding implements Balancer {

    private final AtomicInteger turn = new AtomicInteger();

    @Override
    public int choose(int candidates, IntUnaryOperator outstanding) {
        int first = Math.floorMod(turn.getAndIncrement(), candidates);
        int best = first;
        int least = outstanding.applyAsInt(first);
        for (int i = 1; i < candidates && least > 0; i++) {
            int at = (first + i) % candidates;
            int calls = outstanding.applyAsInt(at);
            if (calls < least) {
                best = at;
                least = calls;
            }
        }
        return best;
    }
}
