package io.weir.config;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A path from a foreign jar: pigeons fly within one kernel only, and never arrive. */
public class PigeonTransport implements Transport {

    @Override
    public String name() {
        return "pigeon";
    }

    @Override
    public Set<String> options() {
        return Set.of("loft-size", "speed");
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return new Availability.Ready();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        if (peer.host().equals("unreadable")) {
            throw new IllegalArgumentException("no such roof");
        }
        return self.bootId().equals(peer.bootId()) ? null : "other host: no pigeon flies there";
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        throw new PeerUnavailable("the pigeons are out");
    }
}
