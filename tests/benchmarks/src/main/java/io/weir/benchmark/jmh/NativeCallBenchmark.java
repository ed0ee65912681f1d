package io.weir.benchmark.jmh;

import com.kenai.jffi.Library;
import io.weir.transport.nativelib.FunctionPointer;
import java.util.concurrent.TimeUnit;
import jnr.ffi.LibraryLoader;
import jnr.ffi.LibraryOption;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to call C, which a message over RDMA does three times: it is posted, its slot is made ready again, and
 * its completion is looked for. The function is one of the C library that does next to nothing, so this is the call
 * itself.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class NativeCallBenchmark {

    /**
     * Looked up by jnr-ffi, which keeps the error number of each call. Public as jnr-ffi implements it from another
     * class loader.
     */
    public interface Bits {
        int ffs(int number);
    }

    private final FunctionPointer pointer = new FunctionPointer(
            Library.getCachedInstance("libc.so.6", Library.LAZY | Library.LOCAL).getSymbolAddress("ffsl"));

    private final Bits bits = LibraryLoader.create(Bits.class)
            .option(LibraryOption.LoadNow, true)
            .failImmediately()
            .load("libc.so.6");

    private long number = 8;

    /** As {@code ibv_post_send} is called. */
    @Benchmark
    public int functionPointerOfThree() {
        return pointer.call(number, 0L, 0L);
    }

    /** As {@code ibv_poll_cq} is called. */
    @Benchmark
    public int functionPointerWithNumber() {
        return pointer.call(number, 0, 0L);
    }

    /** As what is called seldom is. */
    @Benchmark
    public int interfaceOfJnr() {
        return bits.ffs((int) number);
    }

    /** The least that there is to compare with. */
    @Benchmark
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public int javaMethod() {
        return Long.numberOfTrailingZeros(number);
    }
}
