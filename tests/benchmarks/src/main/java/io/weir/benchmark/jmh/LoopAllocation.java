package io.weir.benchmark.jmh;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A profiler for {@code -prof}: what each loop of a node has allocated per operation. The profiler {@code gc} knows
 * only the sum over all threads.
 */
public final class LoopAllocation implements InternalProfiler {

    /** How the threads of nodes are called that benchmarks start. */
    static final String LOOPS = "weir-";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Map<String, Long> before = Map.of();

    @Override
    public String getDescription() {
        return "Bytes that each loop of a node allocates per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = allocated();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long operations = result.getMetadata().getAllOps();
        List<Result<?>> bytes = new ArrayList<>();
        allocated().forEach((loop, now) -> {
            double perOperation = (double) (now - before.getOrDefault(loop, now)) / operations;
            // The largest, because when the last iteration is over, the loops may have ended already and count as zero.
            bytes.add(new ScalarResult("alloc." + loop, perOperation, "B/op", AggregationPolicy.MAX));
        });
        return bytes;
    }

    private Map<String, Long> allocated() {
        Map<String, Long> byLoop = new TreeMap<>();
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith(LOOPS))
                .forEach(thread -> byLoop.put(thread.getThreadName(), allocatedBy(thread)));
        return byLoop;
    }

    private long allocatedBy(ThreadInfo thread) {
        return threads.getThreadAllocatedBytes(thread.getThreadId());
    }
}
