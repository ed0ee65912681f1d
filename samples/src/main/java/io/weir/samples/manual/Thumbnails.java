package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** Slow work, and where {@code publishOn} belongs. */
public final class Thumbnails {

    private static final Codec<byte[]> BYTES = Codecs.bytes();

    private Thumbnails() {}

    public static void serve(Node node, Scheduler workers) {
        // tag::values
        node.serve("thumbnails", channel -> {
            Flux<byte[]> small = channel.receive(BYTES).publishOn(workers, 16).map(Thumbnails::shrink);
            return channel.send(small, BYTES);
        });
        // end::values
    }

    public static void serveWithoutCopy(Node node, Scheduler workers) {
        // tag::messages
        node.serve("sizes", channel -> {
            Flux<Message> sizes = channel.receive()
                    .publishOn(workers, 16)
                    .map(Thumbnails::measure)
                    .doOnDiscard(Message.class, Message::release);
            return channel.send(sizes);
        });
        // end::messages
    }

    // tag::release
    private static Message measure(Message picture) {
        try {
            return Message.of(Integer.toString(picture.size()));
        } finally {
            picture.release();
        }
    }
    // end::release

    private static byte[] shrink(byte[] picture) {
        byte[] small = new byte[(picture.length + 1) / 2];
        for (int i = 0; i < small.length; i++) {
            small[i] = picture[2 * i];
        }
        return small;
    }
}
