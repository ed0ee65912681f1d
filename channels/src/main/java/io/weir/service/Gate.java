package io.weir.service;

import io.weir.channel.Peer;
import io.weir.core.PathRequired;
import io.weir.core.Refused;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who may come to a service. On the loop of the peer that comes. */
final class Gate {

    private final Porter porter;
    private final String service;
    private final Porter.@Nullable Lock lock;
    private final List<String> paths;

    /**
     * @param lock null if everybody may
     * @param paths over which one may come; empty: all
     */
    Gate(Porter porter, String service, Porter.@Nullable Lock lock, List<String> paths) {
        this.porter = porter;
        this.service = service;
        this.lock = lock;
        this.paths = paths;
    }

    /**
     * Returns if this peer may come in now; asked for each channel and each request.
     *
     * @throws Refused if it has not proved the password on this connection
     * @throws PathRequired if it comes over a path over which the service is not offered
     */
    void check(Peer peer) {
        if (lock != null && !porter.hasOpened(peer, lock)) {
            throw new Refused("service '" + service + "' wants its password proved: call it as a service, with"
                    + " weir.services." + service + ".password-file set");
        }
        if (!paths.isEmpty() && !comesOver(peer)) {
            throw new PathRequired("service '" + service + "' is offered over " + String.join(", ", paths)
                    + " only, and this connection goes over another path");
        }
    }

    private boolean comesOver(Peer peer) {
        return peer.path().chosen().map(it -> paths.contains(it.path())).orElse(false);
    }

    /** Nobody can prove the password any more; who has proved it still comes in, if anything is served. */
    void close() {
        if (lock != null) {
            porter.unlock(lock);
        }
    }
}
