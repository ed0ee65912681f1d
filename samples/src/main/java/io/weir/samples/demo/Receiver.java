package io.weir.samples.demo;

import io.weir.channel.Node;
import io.weir.channel.NodeSpec;
import io.weir.channel.Peer;
import io.weir.core.WeirException;
import java.io.IOException;
import java.io.OutputStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The second process: hashes what comes to its port {@code sha256}, slowly, and tells on port {@code memory} what it holds.
 * Breaks the link when told so on port {@code cut}. Says on standard output where it listens; ends when its standard input does, so that
 * it never outlives who started it.
 */
public final class Receiver {

    static final String SHA256 = "sha256";
    static final String MEMORY = "memory";
    static final String CUT = "cut";

    /** Stands before the address, in the first line of output. */
    static final String READY = "READY ";

    private Receiver() {}

    /**
     * Runs until standard input ends.
     *
     * @param arguments how often the stage hashes each piece, and where to listen
     */
    public static void main(String[] arguments) throws IOException {
        int rounds = Integer.parseInt(arguments[0]);
        try {
            NodeSpec spec = NodeSpec.fromSystem().toBuilder()
                    .name("receiver")
                    .listen(arguments[1])
                    .build();
            Node node = Node.start(spec).blockOptional().orElseThrow();
            serve(node, rounds);
            System.out.println(READY + node.address());
            System.in.transferTo(OutputStream.nullOutputStream());
            node.close().block();
            System.exit(0);
        } catch (WeirException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
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
