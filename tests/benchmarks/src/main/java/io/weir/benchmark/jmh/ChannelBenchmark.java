package io.weir.benchmark.jmh;

import io.netty.buffer.Unpooled;
import io.weir.channel.Channel;
import io.weir.core.Message;
import java.util.Objects;
import java.util.concurrent.Semaphore;
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
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * A message in the steady state of a channel. The server gives the same message away again and again and the client only
 * releases it, so that nobody but Weir and Reactor allocates: with {@code -prof gc} for the sum of both, with
 * {@link LoopAllocation} for each.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class ChannelBenchmark {

    /** Many windows, so that beginning and end do not count. */
    private static final int MESSAGES = 100_000;

    private static final String PORT = "bench";

    @Param({"shm", "tcp", "local"})
    private String path;

    @Param({"32", "1024"})
    private int size;

    private final Receiver receiver = new Receiver();
    private NodePair nodes;

    @Setup
    public void connect() {
        Message message = Message.of(Unpooled.directBuffer(size).writeZero(size));
        Flux<Message> endless = Flux.generate(sink -> sink.next(message.retain()));
        nodes = NodePair.start(path, server -> {
            Disposable unused = server.serve(PORT, channel -> channel.send(endless));
        });
        Channel channel = Objects.requireNonNull(nodes.connect().channel(PORT).block(NodePair.PATIENCE));
        channel.receive().subscribe(receiver);
    }

    @TearDown
    public void close() {
        receiver.cancel();
        nodes.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public void message() throws InterruptedException {
        receiver.request(MESSAGES);
        if (!receiver.all.tryAcquire(NodePair.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Only " + receiver.received + " messages have come.");
        }
    }

    private static final class Receiver extends BaseSubscriber<Message> {

        private final Semaphore all = new Semaphore(0);
        private int received;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Every invocation asks for its own.
        }

        @Override
        protected void hookOnNext(Message message) {
            message.release();
            if (++received == MESSAGES) {
                received = 0;
                all.release();
            }
        }
    }
}
