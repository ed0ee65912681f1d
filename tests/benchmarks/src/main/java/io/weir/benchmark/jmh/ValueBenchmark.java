package io.weir.benchmark.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Channel;
import io.weir.core.Codec;
import io.weir.core.ContentView;
import io.weir.core.InPlaceCodec;
import java.util.Objects;
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
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * A value of 32 bytes in the steady state of a channel: written and read by a codec that needs neither a buffer nor a
 * message, and by one that makes both. The value itself is always the same one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class ValueBenchmark {

    private static final String PORT = "bench";

    @Param({"shm", "tcp", "local"})
    private String path;

    @Param({"in-place", "message"})
    private String codec;

    private NodePair nodes;
    private final Receiver receiver = new Receiver();

    @Setup
    public void connect() {
        Codec<Four> codecs = codec.equals("in-place") ? new InPlace() : new Buffered();
        Four four = new Four();
        Flux<Four> endless = Flux.generate(sink -> {
            four.first++;
            sink.next(four);
        });
        nodes = NodePair.start(path, server -> {
            Disposable unused = server.serve(PORT, channel -> channel.send(endless, codecs));
        });
        Channel channel = Objects.requireNonNull(nodes.connect().channel(PORT).block(NodePair.PATIENCE));
        channel.receive(codecs).subscribe(receiver);
    }

    @TearDown
    public void close() {
        receiver.cancel();
        nodes.close();
    }

    @Benchmark
    @OperationsPerInvocation(Batches.COUNT)
    public void value() throws InterruptedException {
        receiver.receive();
    }

    /** Four numbers. */
    private static final class Four {
        long first;
        long second;
        long third;
        long fourth;
    }

    private static final class InPlace implements InPlaceCodec<Four> {

        /** One for each direction would do as well: nobody keeps it. */
        private final Four read = new Four();

        @Override
        public int length(Four value) {
            return 32;
        }

        @Override
        public void write(Four value, ContentView to) {
            to.putLong(0, value.first);
            to.putLong(8, value.second);
            to.putLong(16, value.third);
            to.putLong(24, value.fourth);
        }

        @Override
        public Four read(ContentView from) {
            read.first = from.getLong(0);
            read.second = from.getLong(8);
            read.third = from.getLong(16);
            read.fourth = from.getLong(24);
            return read;
        }
    }

    private static final class Buffered implements Codec<Four> {

        private final Four read = new Four();

        @Override
        public ByteBuf encode(Four value, ByteBufAllocator allocator) {
            return allocator
                    .buffer(32)
                    .writeLongLE(value.first)
                    .writeLongLE(value.second)
                    .writeLongLE(value.third)
                    .writeLongLE(value.fourth);
        }

        @Override
        public Four decode(ByteBuf payload) {
            int at = payload.readerIndex();
            read.first = payload.getLongLE(at);
            read.second = payload.getLongLE(at + 8);
            read.third = payload.getLongLE(at + 16);
            read.fourth = payload.getLongLE(at + 24);
            return read;
        }
    }

    private static final class Receiver extends Batches<Four> {

        private long last;

        @Override
        void taken(Four value) {
            if (value.first != ++last) {
                throw new IllegalStateException("Value " + value.first + " has come where " + last + " was due.");
            }
        }
    }
}
