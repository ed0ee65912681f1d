package io.weir.benchmark.jmh;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a sender pays for a payload before Weir has seen it: memory, a number, the rest in bulk, and its release. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class PayloadBenchmark {

    @Param({"adaptive direct", "adaptive heap", "pooled direct", "pooled heap", "unpooled heap"})
    private String memory;

    @Param({"32", "1024"})
    private int size;

    private ByteBufAllocator allocator;
    private boolean direct;
    private byte[] rest;
    private long number;

    @Setup
    public void setUp() {
        allocator = memory.startsWith("adaptive")
                ? new AdaptiveByteBufAllocator()
                : memory.startsWith("pooled") ? new PooledByteBufAllocator() : UnpooledByteBufAllocator.DEFAULT;
        direct = memory.endsWith("direct");
        rest = new byte[size - Long.BYTES];
    }

    @Benchmark
    public int fillAndRelease() {
        ByteBuf payload = direct ? allocator.directBuffer(size, size) : allocator.heapBuffer(size, size);
        int written = payload.writeLongLE(++number).writeBytes(rest).readableBytes();
        payload.release();
        return written;
    }
}
