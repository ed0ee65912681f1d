package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Long messages that know their number, and the ports that take and give them. */
final class Bodies {

    /** One that is read by the peer's device where it can be. */
    static final int LONG = 1 << 20;

    /** Answers with the request. */
    static final String ECHO = "echo";

    /** Gives long ones without end. */
    static final String POUR = "pour";

    /** Takes long ones without end. */
    static final String SINK = "sink";

    private static final int STRIDE = 1024;

    private Bodies() {}

    static void serve(Node node) {
        node.answer(ECHO, message -> Mono.just(message));
        node.serve(POUR, channel -> channel.send(endless(channel.allocator(), LONG)));
        node.serve(SINK, channel -> {
            AtomicLong next = new AtomicLong();
            return channel.receive()
                    .doOnNext(message -> check(message, next.getAndIncrement(), LONG))
                    .then();
        });
    }

    /** Each is made when it is asked for. */
    static Flux<Message> endless(ByteBufAllocator allocator, int length) {
        return Flux.generate(() -> 0L, (number, sink) -> {
            sink.next(Message.of(body(allocator, number, length)));
            return number + 1;
        });
    }

    /** Sends some there and back, of these lengths in turn. */
    static void echo(Peer peer, int count, int... lengths) {
        var unused = Flux.range(0, count)
                .flatMapSequential(
                        number -> {
                            int length = lengths[number % lengths.length];
                            return peer.ask(ECHO, Message.of(body(peer.allocator(), number, length)))
                                    .doOnNext(answer -> check(answer, number, length));
                        },
                        8)
                .blockLast(Patience.LIMIT);
    }

    private static ByteBuf body(ByteBufAllocator allocator, long number, int length) {
        ByteBuf body = allocator.buffer(length, length);
        body.writerIndex(length);
        for (int at = 0; at + Long.BYTES <= length; at += STRIDE) {
            body.setLong(at, word(number, at));
        }
        return body;
    }

    /** Checks that it is the one of this number, and releases it. */
    static void check(Message message, long number, int length) {
        ByteBuf body = message.payload();
        try {
            assertThat(body.readableBytes()).isEqualTo(length);
            for (int at = 0; at + Long.BYTES <= length; at += STRIDE) {
                long word = body.getLong(body.readerIndex() + at);
                if (word != word(number, at)) {
                    throw new AssertionError("byte " + at + " of body " + number + " is byte " + (int) word
                            + " of body " + (word >>> Integer.SIZE));
                }
            }
        } finally {
            message.release();
        }
    }

    private static long word(long number, int at) {
        return number << Integer.SIZE | at;
    }
}
