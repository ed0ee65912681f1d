package io.weir.transport.tcp;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerAddress;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The path that is always there: the bootstrap connection itself, or a connection to the accepting side's data address.
 */
public final class TcpTransport implements Transport {

    static final String NAME = "tcp";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return TcpOptions.NAMES;
    }

    @Override
    public Availability availability(TransportSettings settings) {
        // So that a wrong option is reported when the node starts, not when the first peer comes.
        var unused = TcpOptions.of(settings);
        if (settings.tls().enabled()) {
            var unusedToo = TlsMaterial.read(settings.tls());
        }
        return new Availability.Ready();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return null;
    }

    @Override
    public boolean isPrivate(TransportSettings settings) {
        return settings.tls().enabled();
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        TcpOptions options = TcpOptions.of(request.settings());
        if (request.connecting()) {
            return new ConnectingLink(request, options);
        }
        PeerAddress dataAddress = options.dataAddress();
        return dataAddress == null
                ? new KeptLink(request.bootstrap())
                : AcceptingLink.listen(dataAddress, options, request);
    }
}
