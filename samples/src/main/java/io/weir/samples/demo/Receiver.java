package io.weir.samples.demo;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.samples.process.Serving;
import java.io.IOException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The second process: hashes what comes to its port {@code sha256}, slowly, and tells on port {@code memory} what it
 * holds. Breaks the link when told so on port {@code cut}.
 */
public final class Receiver {

    static final String SHA256 = "sha256";
    static final String MEMORY = "memory";
    static final String CUT = "cut";

    /** How it is named in errors. */
    static final String PROCESS = "The second process";

    private Receiver() {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments how often the stage hashes each piece, and where to listen
     */
    public static void main(String[] arguments) throws IOException {
        int rounds = Integer.parseInt(arguments[0]);
        NodeSpec spec = NodeSpec.fromSystem().toBuilder()
                .name("receiver")
                .listen(arguments[1])
                .build();
        Serving.until(spec, node -> serve(node, rounds));
    }

    private static void serve(Node node, int rounds) {
        Scheduler stage = Schedulers.newSingle("slow-stage");
        node.serve(SHA256, channel -> channel.send(SlowDigest.of(channel.receive(), rounds, stage)));
        node.answer(CUT, order -> {
            order.release();
            return Flux.fromIterable(node.connected()).flatMap(Peer::cut).then(Mono.empty());
        });
        node.answer(MEMORY, request -> {
            request.release();
            return Mono.fromCallable(Memory::now).map(Memory::toMessage).subscribeOn(Schedulers.boundedElastic());
        });
    }
}
