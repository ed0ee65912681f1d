package io.weir.simulator;

import io.weir.core.Availability;
import io.weir.core.Link;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The path that is always there: the bootstrap connection itself. */
public final class TcpTransport implements Transport {

    static final String NAME = "tcp";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return new Availability.Ready();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return null;
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        return new Kept(request.bootstrap());
    }

    private record Kept(Link bootstrap) implements PendingLink {

        @Override
        public byte[] offer() {
            return new byte[0];
        }

        @Override
        public Mono<Link> complete(byte[] theirs) {
            return Mono.just(bootstrap);
        }

        @Override
        public void close() {
            // The bootstrap connection belongs to who made it.
        }
    }
}
