package io.weir.spring.ahead;

import io.weir.spring.RemoteClient;
import reactor.core.publisher.Mono;

/** Found by looking through the packages of the application. */
@RemoteClient(peer = "self", service = "greeter")
interface Greeter {

    Mono<Greeting> greet(Name name);

    /** Goes over the wire. */
    record Name(String text) {}

    /** Comes back. */
    record Greeting(String text) {}
}
