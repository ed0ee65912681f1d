package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import reactor.core.publisher.Mono;

/** Request and response: one message there, one back. */
public final class Greeting {

    private static final Codec<String> TEXT = Codecs.text();

    private Greeting() {}

    public static void serve(Node node) {
        // tag::answer
        node.answer("greeting", TEXT, TEXT, name -> Mono.just("Hello, " + name + "!"));
        // end::answer
    }

    public static Mono<String> ask(Peer peer, String name) {
        // tag::ask
        Mono<String> greeting = peer.ask("greeting", name, TEXT, TEXT);
        // end::ask
        return greeting;
    }
}
