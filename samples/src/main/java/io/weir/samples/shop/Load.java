package io.weir.samples.shop;

import io.weir.samples.process.ProgramFailed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Customers who order one thing after another, until they are told to leave. */
final class Load implements AutoCloseable {

    private final Supplier<?> order;
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicLong longestNanos = new AtomicLong();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads;
    private final List<CompletableFuture<Void>> customers = new ArrayList<>();
    private volatile boolean leaving;

    /** @param order makes one order, and fails if that does */
    Load(int customers, Supplier<?> order) {
        this.order = order;
        this.threads = Executors.newFixedThreadPool(customers);
        for (int i = 0; i < customers; i++) {
            this.customers.add(CompletableFuture.runAsync(this::orderOn, threads));
        }
    }

    private void orderOn() {
        while (!leaving) {
            long begun = System.nanoTime();
            try {
                Object unused = order.get();
                made.incrementAndGet();
            } catch (ProgramFailed e) {
                failures.add(String.valueOf(e.getMessage()));
            }
            longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
        }
    }

    /** How many orders have been made so far. */
    int made() {
        return made.get();
    }

    /** How long one has taken at most. */
    long longestMillis() {
        return longestNanos.get() / 1_000_000;
    }

    /** Why orders have failed, in words. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Has everybody finish the order that he is at, and leave. */
    @Override
    public void close() {
        leaving = true;
        customers.forEach(CompletableFuture::join);
        threads.shutdown();
    }
}
