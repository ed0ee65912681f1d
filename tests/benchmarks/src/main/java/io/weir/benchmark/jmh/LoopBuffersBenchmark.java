package io.weir.benchmark.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.LoopBuffers;
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

/** What it costs to copy a payload out of a link's memory and to give the copy back. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class LoopBuffersBenchmark {

    @Param({"32", "1024"})
    private int size;

    private LoopBuffers buffers;
    private ByteBuf wire;

    @Setup
    public void setUp() {
        buffers = new LoopBuffers();
        wire = Unpooled.directBuffer(size).writeZero(size);
    }

    /** Consumed on the loop, as steady traffic is. */
    @Benchmark
    public byte copyReadRelease() {
        ByteBuf copy = buffers.take(size);
        byte read = copy.setBytes(0, wire, 0, size).getByte(size - 1);
        copy.release();
        return read;
    }

    /** The same with a new array for each. */
    @Benchmark
    public byte copyReadReleaseUnpooled() {
        ByteBuf copy = Unpooled.buffer(size, size);
        byte read = copy.setBytes(0, wire, 0, size).getByte(size - 1);
        copy.release();
        return read;
    }
}
