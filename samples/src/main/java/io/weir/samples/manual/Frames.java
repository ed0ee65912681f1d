package io.weir.samples.manual;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Node;
import io.weir.core.Message;
import reactor.core.publisher.Flux;

/** Large payloads, written straight into the memory that the path can take. */
public final class Frames {

    public static final int SIZE = 256 << 10;

    private Frames() {}

    public static void serve(Node node) {
        // tag::allocator
        node.serve("frames", channel -> {
            Flux<Message> frames = Flux.generate(sink -> {
                ByteBuf frame = channel.allocator().buffer(SIZE);
                capture(frame);
                sink.next(Message.of(frame));
            });
            return channel.send(frames);
        });
        // end::allocator
    }

    private static void capture(ByteBuf frame) {
        frame.writeZero(SIZE - Long.BYTES).writeLong(SIZE);
    }
}
