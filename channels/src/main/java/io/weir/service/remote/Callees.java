package io.weir.service.remote;

import io.weir.channel.Peer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Whom to call: asked anew for each call. Any thread. */
public interface Callees {

    /**
     * Who takes the next call, if somebody is connected and lets us in; else null, and {@link #next()} finds or awaits
     * one.
     */
    @Nullable
    Callee ready();

    /**
     * Who takes the next call; waits, up to a limit, until somebody is connected. Fails with
     * {@link io.weir.core.PeerUnavailable}, telling the service and why its instances could not be reached, or with
     * {@link io.weir.core.AuthenticationFailed}.
     */
    Mono<Callee> next();

    /** Always this one peer, for as long as it is connected. */
    static Callees of(Peer peer, String port) {
        Callee only = new Callee(peer, port);
        return new Callees() {
            @Override
            public Callee ready() {
                return only;
            }

            @Override
            public Mono<Callee> next() {
                return Mono.just(only);
            }
        };
    }
}
