package io.weir.samples.calls;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The object that is called. It knows nothing of Weir. */
final class Bank implements Ledger {

    private final Map<String, Long> balances = new ConcurrentHashMap<>();
    private final Map<String, List<Watcher>> watchers = new ConcurrentHashMap<>();
    private final AtomicLong booked = new AtomicLong();

    @Override
    public long balance(String account) {
        return balances.getOrDefault(account, 0L);
    }

    @Override
    public Mono<Long> turnover(String account) {
        return Mono.fromSupplier(booked::get);
    }

    @Override
    public Flux<Long> book(Flux<Entry> entries) {
        return entries.map(this::book);
    }

    private long book(Entry entry) {
        booked.addAndGet(Math.abs(entry.cents()));
        return balances.merge(entry.account(), entry.cents(), Long::sum);
    }

    @Override
    public void withdraw(String account, long cents) throws Overdrawn {
        if (balance(account) < cents) {
            throw new Overdrawn(account + " has " + balance(account) + " cents, not " + cents);
        }
        long left = book(new Entry(account, -cents));
        watchers.getOrDefault(account, List.of()).forEach(watcher -> watcher.changed(account, left));
    }

    @Override
    public void watch(String account, Watcher watcher) {
        watchers.computeIfAbsent(account, any -> new CopyOnWriteArrayList<>()).add(watcher);
    }
}
