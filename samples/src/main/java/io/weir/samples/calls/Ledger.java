package io.weir.samples.calls;

import io.weir.service.remote.Deadline;
import io.weir.service.remote.Idempotent;
import io.weir.service.remote.Remote;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// tag::ledger
/** A plain interface: all that caller and server share. */
public interface Ledger {

    record Entry(String account, long cents) {}

    class Overdrawn extends Exception {

        private static final long serialVersionUID = 1L;

        public Overdrawn(String message) {
            super(message);
        }
    }

    /** Called back by the server. */
    @Remote
    interface Watcher {
        void changed(String account, long cents);
    }

    /** Waits for the value. */
    long balance(String account);

    @Idempotent
    @Deadline("2s")
    Mono<Long> turnover(String account);

    /** Yields the balance behind each entry, as the caller takes them. */
    Flux<Long> book(Flux<Entry> entries);

    void withdraw(String account, long cents) throws Overdrawn;

    void watch(String account, Watcher watcher);
}
// end::ledger
