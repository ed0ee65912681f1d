package io.weir.benchmark.jmh;

import io.netty.buffer.Unpooled;
import io.weir.channel.Channel;
import io.weir.config.NodeSpec;
import io.weir.core.Message;
import java.util.Objects;
import java.util.function.UnaryOperator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** A server that gives away the same message again and again, and a client that only releases it. */
final class SmallMessages implements AutoCloseable {

    static final int COUNT = Batches.COUNT;

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
        receiver.receive();
    }

    @Override
    public void close() {
        receiver.cancel();
        nodes.close();
    }

    private static final class Receiver extends Batches<Message> {

        @Override
        void taken(Message message) {
            message.release();
        }
    }
}
