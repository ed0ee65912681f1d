package io.weir.fabric.guest;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.core.Message;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/**
 * Many nodes in a process of their own, as its environment says. What they serve is a channel that goes both ways at
 * once.
 */
final class Crowd {

    static final String BOTH = "both";

    /** Many fragments each; what all channels hold at the same time has room in the memory of a small process. */
    private static final int LENGTH = 20_000;

    private static final int COUNT = 20;

    private Crowd() {}

    /** The argument is how many; where they listen stands in one line. */
    public static void main(String[] arguments) throws IOException {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Node node = Nodes.got(Node.start(Serving.spec("far" + i)));
            node.serve(BOTH, Crowd::pass);
            nodes.add(node);
        }
        System.out.println(Serving.READY
                + String.join(
                        " ",
                        nodes.stream().map(node -> node.address().toString()).toList()));
        while (System.in.read() >= 0) {
            // Until whoever has started us has enough.
        }
        nodes.forEach(node -> node.close().block());
        System.exit(0);
    }

    /** Sends some messages, while as many come from the other side. */
    static Mono<Void> pass(Channel channel) {
        AtomicLong next = new AtomicLong();
        return Mono.when(
                channel.send(Bodies.endless(channel.allocator(), LENGTH).take(COUNT)),
                channel.receive()
                        .doOnNext((Message body) -> Bodies.check(body, next.getAndIncrement(), LENGTH))
                        .count()
                        .doOnNext(count -> {
                            if (count != COUNT) {
                                throw new AssertionError(count + " messages have come instead of " + COUNT);
                            }
                        }));
    }
}
