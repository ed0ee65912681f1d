package io.weir.samples.manual;

import io.weir.service.remote.Caller;
import io.weir.service.remote.Deadline;
import io.weir.service.remote.Idempotent;
import io.weir.service.remote.Remote;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a remote interface may have. */
final class Ledgers {

    /** What is left, in cents. */
    public record Balance(String account, long cents) {}

    /** What was booked. */
    public record Entry(String account, long cents) {}

    /** That something was booked. */
    public record Receipt(long number) {}

    /** Not enough is left. */
    public static final class Overdrawn extends Exception {

        private static final long serialVersionUID = 1L;

        public Overdrawn(String message) {
            super(message);
        }
    }

    private final BiFunction<String, String, Mono<Balance>> accounts;

    Ledgers(BiFunction<String, String, Mono<Balance>> accounts) {
        this.accounts = accounts;
    }

    // tag::remoteinterface
    public interface Ledger {
        Mono<Balance> balance(String account);

        Flux<Entry> entries(String account, Instant since);

        Flux<Receipt> book(String branch, Flux<Entry> entries);

        CompletionStage<Balance> later(String account);

        Balance now(String account) throws Overdrawn;

        void forget(String account);

        @Idempotent
        @Deadline("2s")
        Mono<Long> turnover(String account);

        void watch(String account, Watcher watcher);

        default Mono<Long> total(String one, String two) {
            return balance(one).zipWith(balance(two), (first, second) -> first.cents() + second.cents());
        }
    }
    // end::remoteinterface

    // tag::callback
    @Remote
    public interface Watcher {
        Mono<Void> changed(Balance balance);
    }
    // end::callback

    // tag::caller
    public Mono<Balance> balance(String account) {
        return Mono.deferContextual(
                context -> accounts.apply(account, Caller.of(context).identity().name()));
    }
    // end::caller
}
