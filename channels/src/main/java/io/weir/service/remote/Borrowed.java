package io.weir.service.remote;

import io.weir.channel.Peer;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * The calls to an object that a peer has passed to us. Its calls under way keep it as well, so that it is given back
 * behind them.
 */
final class Borrowed implements Bindings, AutoCloseable {

    private final Binding binding;
    private final Lease lease;
    private final String type;

    Borrowed(Peer peer, Contract contract, Lease lease) {
        // The shape of the interface was compared with that through which it was passed.
        int[] numbers = IntStream.range(0, contract.methods().size()).toArray();
        this.binding = new Binding(new Callee(peer, References.PORT), lease.number(), numbers);
        this.lease = lease;
        this.type = contract.name();
    }

    /** Whether it is an object of this peer. */
    boolean isOf(Peer peer) {
        return binding.peer().equals(peer);
    }

    int number() {
        return binding.object();
    }

    @Override
    public Mono<Binding> next() {
        return binding.ready();
    }

    @Override
    public void close() {
        lease.run();
    }

    @Override
    public String toString() {
        return type + " of " + binding.peer().id();
    }
}
