package io.weir.service;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/** Each in its turn. */
final class RoundRobin implements Balancer {

    private final AtomicInteger turn = new AtomicInteger();

    @Override
    public int choose(int candidates, IntUnaryOperator outstanding) {
        return Math.floorMod(turn.getAndIncrement(), candidates);
    }
}
