package io.weir.benchmark.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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

/** What a frame costs on its way into a link's memory and out of it, without the link. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class FrameBenchmark {

    @Param({"32", "1024"})
    private int size;

    private final Frame frame = new Frame();
    private ByteBuffer wire;
    private ByteBuf body;
    private int channel;

    @Setup
    public void setUp() {
        wire = ByteBuffer.allocateDirect(Math.toIntExact(FrameLayout.size(0, size)))
                .order(ByteOrder.LITTLE_ENDIAN);
        body = Unpooled.directBuffer(size).writeZero(size);
    }

    @Benchmark
    public int write() {
        Frame data = frame.set(FrameKind.DATA, 0, ++channel, 0).body(body);
        wire.putLong(0, data.word0()).putLong(Long.BYTES, data.word1());
        ByteBuffer payload = wire.position(FrameLayout.HEADER).limit(FrameLayout.HEADER + data.length());
        data.body().getBytes(body.readerIndex(), payload);
        wire.clear();
        return data.length();
    }

    @Benchmark
    public int read() {
        long word0 = wire.getLong(0);
        long word1 = wire.getLong(Long.BYTES);
        FrameKind kind = FrameKind.of(FrameLayout.kindCode(word0));
        return FrameLayout.length(word0) + FrameLayout.channel(word1) + (kind == null ? 0 : kind.words());
    }
}
