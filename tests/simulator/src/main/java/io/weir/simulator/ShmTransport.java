package io.weir.simulator;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** The better path: a link of its own. Found by name, like every transport, and by its thread's simulation. */
public final class ShmTransport implements Transport {

    static final String NAME = "shm";

    /** The option that names the host, whose device it uses. */
    static final String HOST = "host";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return Set.of(HOST);
    }

    @Override
    public Flux<Availability> reports(TransportSettings settings) {
        String host = settings.options().get(HOST);
        return host == null ? Flux.never() : Simulation.current().devices().reports(host);
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
        Simulation simulation = Simulation.current();
        return simulation.network().prepare((SimLoop) request.loop());
    }
}
