package io.weir.channel;

import io.weir.path.Flags;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The senders of the requests to one peer, by the port to which the requests go. Loop thread only, but for
 * {@link #session()}.
 */
final class Askers {

    private final Peer peer;
    private final Map<String, Asker> byPort = new HashMap<>();
    /** Most requests go to the port to which the one before has gone. */
    private @Nullable Asker latest;

    Askers(Peer peer) {
        this.peer = peer;
    }

    Session session() {
        return peer.session();
    }

    /** Its channel is opened on first use, and again after it has failed. */
    Asker of(String port) {
        Asker asker = latest;
        if (asker == null || !asker.port().equals(port)) {
            asker = byPort.get(port);
            latest = asker;
        }
        if (asker == null || asker.failed()) {
            asker = new Asker(session(), port);
            byPort.put(port, asker);
            latest = asker;
            session().open(port, Flags.REQUESTS, asker, asker::opened);
        }
        return asker;
    }

    /** The peer is going to leave: nothing is begun there any more. */
    void peerLeaves() {
        Map.copyOf(byPort).forEach((port, asker) -> {
            if (!PortNames.endsWhatHasBegun(port)) {
                asker.peerLeaves(session()::leaves);
            }
        });
    }
}
