package io.weir.integration;

import io.netty.buffer.ByteBuf;
import io.weir.service.remote.Caller;
import java.io.FileNotFoundException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** A ledger that tells what was done with it. */
public class Books implements Ledger {

    final AtomicLong requested = new AtomicLong();
    public final AtomicInteger waiters = new AtomicInteger();
    public final AtomicInteger cancelled = new AtomicInteger();
    public final AtomicInteger calls = new AtomicInteger();
    public final AtomicInteger interrupted = new AtomicInteger();
    public final Queue<String> threads = new ConcurrentLinkedQueue<>();
    public final CountDownLatch go = new CountDownLatch(1);
    public final CountDownLatch begun = new CountDownLatch(1);
    public final Map<String, Watcher> watchers = new ConcurrentHashMap<>();

    @Override
    public Mono<Balance> balance(String account) {
        return Mono.just(new Balance(account, account.length()));
    }

    @Override
    public Mono<Balance> balance(String account, @Nullable Instant at) {
        return Mono.just(new Balance(account, at == null ? -1 : at.getEpochSecond()));
    }

    @Override
    public Mono<Void> close(String account) {
        return Mono.empty();
    }

    @Override
    public Flux<Entry> entries(String account, int count) {
        return Flux.range(0, count)
                .map(Entry::of)
                .doOnRequest(n -> requested.accumulateAndGet(n, Operators::addCap))
                .doOnCancel(cancelled::incrementAndGet);
    }

    @Override
    public Flux<Receipt> book(String branch, Flux<Entry> entries) {
        return entries.map(entry -> new Receipt(branch, entry.number()));
    }

    @Override
    public Mono<Integer> count(Flux<Entry> entries, int from) {
        return entries.count().map(count -> from + count.intValue());
    }

    @Override
    public CompletionStage<Balance> later(String account) {
        return CompletableFuture.supplyAsync(() -> new Balance(account, 7));
    }

    @Override
    public CompletableFuture<@Nullable String> perhaps(boolean there) {
        return CompletableFuture.completedFuture(there ? "yes" : null);
    }

    @Override
    public Balance now(String account) throws Overdrawn, FileNotFoundException {
        threads.add(Thread.currentThread().toString());
        calls.incrementAndGet();
        switch (account) {
            case "overdrawn" -> throw new Overdrawn("by 3 cents");
            case "lost" -> throw new FileNotFoundException("ledger.txt");
            case "wait" -> await();
            default -> {}
        }
        return new Balance(account, 1);
    }

    private void await() {
        begun.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
        }
    }

    @Override
    public long sum(int[] numbers, long more) {
        return more + IntStream.of(numbers).sum();
    }

    @Override
    public void forget(String account) {
        calls.incrementAndGet();
    }

    @Override
    public void hold(String account) {
        await();
    }

    @Override
    public Mono<Integer> underWay() {
        return Mono.fromSupplier(() -> waiters.get() + 1 - (int) begun.getCount());
    }

    @Override
    public Mono<byte[]> zeros(int count) {
        return Mono.just(new byte[count]);
    }

    @Override
    public Mono<byte[]> reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return Mono.just(reversed);
    }

    @Override
    public Mono<ByteBuf> echo(ByteBuf bytes) {
        return Mono.just(Payloads.heap(bytes.readableBytes()).writeBytes(bytes));
    }

    @Override
    public ByteBuf now() {
        await();
        return Payloads.heap(8).writeLong(8);
    }

    @Override
    public Mono<String> caller() {
        String now = Caller.current().toString();
        return Mono.deferContextual(context -> Mono.just(now + " = " + Caller.of(context)));
    }

    @Override
    public Mono<String> watch(String account, Watcher watcher) {
        watchers.put(account, watcher);
        return watcher.changed(new Balance(account, 5))
                .thenMany(watcher.questions(Flux.range(1, 3)))
                .collectList()
                .map(answers -> account + answers);
    }

    @Override
    public Mono<Watcher> watcher(String account) {
        return Mono.justOrEmpty(watchers.get(account));
    }

    @Override
    public void drop(Watcher watcher) {
        calls.incrementAndGet();
        watchers.put("last", watcher);
    }

    @Override
    public boolean isMine(Watcher watcher) {
        return watchers.containsValue(watcher);
    }

    @Override
    public Mono<Integer> repeated(int failures) {
        return Mono.just(calls.incrementAndGet());
    }

    @Override
    public Mono<String> waiting() {
        return Mono.<String>never()
                .doOnSubscribe(subscription -> waiters.incrementAndGet())
                .doOnCancel(cancelled::incrementAndGet);
    }

    @Override
    public Mono<String> slow() {
        return waiting();
    }

    @Override
    public Flux<String> slowStream() {
        return waiting().flux().startWith("first");
    }

    @Override
    public Mono<String> fail(String how) {
        return switch (how) {
            case "throws" -> throw new IllegalArgumentException("thrown\nhere");
            case "null" -> nothing();
            case "own" -> Mono.error(new Own("of its own"));
            case "element" -> Mono.error(new NoSuchElementException("no such account"));
            case "error" -> throw new AssertionError("not even an exception");
            default -> Mono.error(new IllegalStateException(how));
        };
    }

    @SuppressWarnings("NullAway") // Which handlers should not do.
    private static Mono<String> nothing() {
        return null;
    }

    /** Of which a caller knows nothing. */
    public static final class Own extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public Own(String message) {
            super(message);
        }
    }

    @Override
    public Flux<Integer> failAfter(int count) {
        return Flux.range(0, count).concatWith(Flux.error(new IllegalStateException("after " + count)));
    }

    @Override
    public Mono<Entry> find(String key) {
        return Mono.just(Entry.of(key.length()));
    }

    @Override
    public Mono<List<Entry>> all(Map<String, Entry> by) {
        return Mono.just(by.values().stream().toList());
    }
}
