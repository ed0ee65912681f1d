package io.weir.benchmark.jmh;

import io.weir.config.Repath;
import java.util.Locale;
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
 * As {@link ChannelBenchmark}, where the session may go over to another path, or may not. Shared memory gives back what
 * was under way without being told to; TCP has to keep it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class RepathBenchmark {

    @Param({"shm", "tcp"})
    private String path;

    @Param({"off", "always"})
    private String repath;

    private SmallMessages messages;

    @Setup
    public void connect() {
        Repath setting = Repath.valueOf(repath.toUpperCase(Locale.ROOT));
        messages = SmallMessages.start(32, spec -> spec.order(path).repath(setting));
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
