package io.weir.integration;

import io.weir.integration.Ledger.Balance;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Watches a ledger, and remembers. */
public final class Observer implements Ledger.Watcher {

    public final Queue<Balance> seen = new ConcurrentLinkedQueue<>();

    @Override
    public Mono<Void> changed(Balance balance) {
        seen.add(balance);
        return Mono.empty();
    }

    @Override
    public Flux<Integer> questions(Flux<Integer> numbers) {
        return numbers.map(number -> 10 * number);
    }

    @Override
    public String name() {
        return "observer";
    }
}
