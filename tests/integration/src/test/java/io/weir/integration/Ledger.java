package io.weir.integration;

import io.netty.buffer.ByteBuf;
import io.weir.service.remote.Deadline;
import io.weir.service.remote.Idempotent;
import io.weir.service.remote.Remote;
import java.io.FileNotFoundException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What tests call remotely: every kind of method that there is. */
public interface Ledger extends Archive<String, Archive.Entry> {

    record Balance(String account, long cents) {}

    record Receipt(String branch, int number) {}

    /** Thrown by a method that declares it. */
    final class Overdrawn extends Exception {

        private static final long serialVersionUID = 1L;

        Overdrawn(@Nullable String message) {
            super(message);
        }
    }

    @Remote
    interface Watcher {

        Mono<Void> changed(Balance balance);

        Flux<Integer> questions(Flux<Integer> numbers);

        String name();
    }

    Mono<Balance> balance(String account);

    Mono<Balance> balance(String account, @Nullable Instant at);

    Mono<Void> close(String account);

    Flux<Entry> entries(String account, int count);

    Flux<Receipt> book(String branch, Flux<Entry> entries);

    Mono<Integer> count(Flux<Entry> entries, int from);

    CompletionStage<Balance> later(String account);

    CompletableFuture<@Nullable String> perhaps(boolean there);

    Balance now(String account) throws Overdrawn, FileNotFoundException;

    long sum(int[] numbers, long more);

    void forget(String account);

    default Mono<Long> total(String one, String two) {
        return balance(one).zipWith(balance(two), (first, second) -> first.cents() + second.cents());
    }

    void hold(String account);

    /** How many calls wait and hold. */
    Mono<Integer> underWay();

    Mono<byte[]> reversed(byte[] bytes);

    Mono<byte[]> zeros(int count);

    Mono<ByteBuf> echo(ByteBuf bytes);

    ByteBuf now();

    Mono<String> caller();

    Mono<String> watch(String account, Watcher watcher);

    Mono<Watcher> watcher(String account);

    void drop(Watcher watcher);

    boolean isMine(Watcher watcher);

    @Idempotent
    Mono<Integer> repeated(int failures);

    Mono<String> waiting();

    @Deadline("300ms")
    Mono<String> slow();

    @Deadline("300ms")
    Flux<String> slowStream();

    Mono<String> fail(String how);

    Flux<Integer> failAfter(int count);
}
