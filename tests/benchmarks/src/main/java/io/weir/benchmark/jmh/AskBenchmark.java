package io.weir.benchmark.jmh;

import io.netty.buffer.Unpooled;
import io.weir.channel.Peer;
import io.weir.core.Message;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import reactor.core.publisher.Mono;

/** A request and its answer, a {@code Mono} each, 64 of them under way. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class AskBenchmark {

    private static final int REQUESTS = 20_000;
    private static final int OUTSTANDING = 64;
    private static final int SIZE = 32;
    private static final String PORT = "bench";

    @Param({"shm", "tcp", "local"})
    private String path;

    private Message message;
    private NodePair nodes;
    private Peer peer;

    @Setup
    public void connect() {
        message = Message.of(Unpooled.directBuffer(SIZE).writeZero(SIZE));
        nodes = NodePair.start(path, server -> {
            Disposable unused = server.answer(PORT, Mono::just);
        });
        peer = nodes.connect();
    }

    @TearDown
    public void close() {
        nodes.close();
    }

    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    public @Nullable Long ask() {
        return Flux.range(0, REQUESTS)
                .flatMap(i -> peer.ask(PORT, message.retain()), OUTSTANDING)
                .doOnNext(Message::release)
                .count()
                .block(NodePair.PATIENCE);
    }
}
