package io.weir.benchmark.jmh;

import io.netty.buffer.Unpooled;
import io.weir.channel.Channel;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A server that gives away the same message again and again, and a client that only releases it. */
final class SmallMessages implements AutoCloseable {

    /** Many windows, so that beginning and end do not count. */
    static final int COUNT = 100_000;

    private static final String PORT = "bench";

    private final NodePair nodes;
    private final Receiver receiver = new Receiver();

    private SmallMessages(NodePair nodes) {
        this.nodes = nodes;
        Channel channel = Objects.requireNonNull(nodes.connect().channel(PORT).block(NodePair.PATIENCE));
        channel.receive().subscribe(receiver);
    }

    static SmallMessages start(int size, UnaryOperator<NodeSpec.Builder> spec) {
        Message message = Message.of(Unpooled.directBuffer(size).writeZero(size));
        Flux<Message> endless = Flux.generate(sink -> sink.next(message.retain()));
        return new SmallMessages(NodePair.start(spec, server -> {
            Disposable unused = server.serve(PORT, channel -> channel.send(endless));
        }));
    }

    void receive() throws InterruptedException {
        receiver.request(COUNT);
        if (!receiver.all.tryAcquire(NodePair.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Only " + receiver.received + " messages have come.");
        }
    }

    @Override
    public void close() {
        receiver.cancel();
        nodes.close();
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
            if (++received == COUNT) {
                received = 0;
                all.release();
            }
        }
    }
}
