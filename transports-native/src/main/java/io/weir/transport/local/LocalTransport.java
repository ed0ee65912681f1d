package io.weir.transport.local;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.loop.NettyLoop;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The path between two nodes of one JVM. */
public final class LocalTransport implements Transport {

    static final String NAME = "local";

    private static final String QUEUE = "queue";

    /** Frames under way at most in each direction: more than a turn of either loop offers or takes. */
    private static final int QUEUE_LENGTH = 1024;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return Set.of(QUEUE);
    }

    @Override
    public Availability availability(TransportSettings settings) {
        // So that a wrong option is reported when the node starts, not when the first peer comes.
        var unused = queueLength(settings);
        return new Availability.Ready();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return self.process().equals(peer.process()) ? null : "the peer runs in another process";
    }

    @Override
    public boolean isPrivate(TransportSettings settings) {
        // It never leaves the process.
        return true;
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        if (!(request.loop() instanceof NettyLoop loop)) {
            throw new Misconfigured(
                    "the loop " + request.loop().name() + " is not one of ours, so the path local can't use it");
        }
        return new LocalPending(new LocalLink(
                loop, queueLength(request.settings()), request.peer().id().toString()));
    }

    private static int queueLength(TransportSettings settings) {
        int length = settings.size(QUEUE, QUEUE_LENGTH, 2, 1 << 20);
        if (Integer.bitCount(length) != 1) {
            throw new Misconfigured(QUEUE + "=" + length + " is not a power of two: write "
                    + Integer.highestOneBit(length) + " or " + 2 * Integer.highestOneBit(length));
        }
        return length;
    }
}
