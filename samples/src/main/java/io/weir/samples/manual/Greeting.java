package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import reactor.core.publisher.Mono;

/** Request and response: one message there, one back. */
public final class Greeting {

    private Greeting() {}

    public static void serve(Node node) {
        // tag::answer
        node.answer("greeting", request -> {
            String name = request.text();
            request.release();
            return Mono.just(Message.of("Hello, " + name + "!"));
        });
        // end::answer
    }

    public static Mono<String> ask(Peer peer, String name) {
        // tag::ask
        Mono<String> greeting = peer.ask("greeting", Message.of(name)).map(answer -> {
            String text = answer.text();
            answer.release();
            return text;
        });
        // end::ask
        return greeting;
    }
}
