package io.weir.benchmark.jmh;

import io.weir.config.PathSwitch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A message in the steady state of a channel. The server gives the same message away again and again and the client
 * only releases it, so that nobody but Weir and Reactor allocates: with {@code -prof gc} for the sum of both, with
 * {@link LoopAllocation} for each.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class ChannelBenchmark {

    @Param({"shm", "tcp", "local"})
    private String path;

    @Param({"32", "1024"})
    private int size;

    private SmallMessages messages;

    @Setup
    public void connect() {
        messages = SmallMessages.start(size, spec -> spec.order(path).path(path, PathSwitch.REQUIRED));
    }

    @TearDown
    public void close() {
        messages.close();
    }

    @Benchmark
    @OperationsPerInvocation(SmallMessages.COUNT)
    public void message() throws InterruptedException {
        messages.receive();
    }
}
