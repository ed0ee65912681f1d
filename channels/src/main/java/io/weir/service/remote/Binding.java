package io.weir.service.remote;

import io.weir.channel.Peer;
import io.weir.core.ProtocolMismatch;
import reactor.core.publisher.Mono;

/** A connection over which an interface can be called. Immutable. */
final class Binding {

    private final Callee callee;
    private final String streamPort;
    private final int object;
    private final int[] numbers;
    private final Mono<Binding> ready = Mono.just(this);

    /**
     * @param object what is called there; 0: what the port exports
     * @param numbers by our number of a method the peer's, or -1 if it has none such
     */
    Binding(Callee callee, int object, int[] numbers) {
        this.callee = callee;
        this.streamPort = callee.port() + CallLayout.STREAMS;
        this.object = object;
        this.numbers = numbers.clone();
    }

    /** Itself, as who takes a call at once. */
    Mono<Binding> ready() {
        return ready;
    }

    Callee callee() {
        return callee;
    }

    Peer peer() {
        return callee.peer();
    }

    /** The port for calls that have a channel. */
    String streamPort() {
        return streamPort;
    }

    int object() {
        return object;
    }

    /** @throws ProtocolMismatch if the peer does not have this method */
    int number(ContractMethod method) {
        int number = numbers[method.number()];
        if (number < 0) {
            throw new ProtocolMismatch(method + " does not exist at " + peer().id()
                    + ", which has another version of the interface: call what it has, or bring both to one version");
        }
        return number;
    }
}
