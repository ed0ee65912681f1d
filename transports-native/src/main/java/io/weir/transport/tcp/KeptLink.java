package io.weir.transport.tcp;

import io.weir.core.Link;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import reactor.core.publisher.Mono;

/** The bootstrap connection stays as the link. */
record KeptLink(Link bootstrap) implements PendingLink {

    @Override
    public byte[] offer() {
        return new byte[0];
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        return theirs.length == 0
                ? Mono.just(bootstrap)
                : Mono.error(new ProtocolMismatch("the peer offers " + theirs.length
                        + " bytes for tcp, where the connecting side has nothing to offer"));
    }

    @Override
    public void close() {
        // The bootstrap connection belongs to who made it.
    }
}
