package io.weir.config;

import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A peer that the configuration names.
 *
 * @param address where it listens
 * @param paths what differs for it from the node's own {@link NodeSpec#paths()}
 * @param connect when the node connects to it ({@code weir.peers.<peer>.connect})
 * @param patience how long {@link io.weir.channel.Node#peer} waits for it while it can't be reached, 0 to 1 h; 0 is one
 *     try ({@code weir.peers.<peer>.wait})
 * @param gateways through which it is reached, the nearest first, at most 8 ({@code weir.peers.<peer>.gateway}); empty:
 *     directly
 * @param tls how connections that this node makes to it over TCP are protected, also those that replace a lost one, and
 *     those to its data address; null: as the node's own, {@link NodeSpec#tls()}. In code only. Says nothing about
 *     connections that come from it
 */
public record PeerSpec(
        PeerAddress address,
        PathPolicy paths,
        Connect connect,
        Duration patience,
        List<PeerAddress> gateways,
        @Nullable TlsSpec tls) {

    /** Gateways that one way goes through at most. */
    public static final int MOST_GATEWAYS = 8;

    /** When a node connects to a peer that its configuration names. */
    public enum Connect {
        /** When {@link io.weir.channel.Node#peer} asks for it. */
        LAZY,
        /**
         * As soon as the node has started, in the background, and anew whenever the connection has ended, as long as
         * the node lives.
         */
        EAGER,
        /** As eager, and the node has not started before the connection is there. */
        REQUIRED
    }

    public PeerSpec {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(paths, "paths");
        Objects.requireNonNull(connect, "connect");
        Objects.requireNonNull(patience, "patience");
        gateways = List.copyOf(gateways);
    }

    /** One that is reached directly. */
    public PeerSpec(PeerAddress address, PathPolicy paths, Connect connect, Duration patience) {
        this(address, paths, connect, patience, List.of());
    }

    /** One that is reached through these gateways, if there are any. */
    public PeerSpec(
            PeerAddress address, PathPolicy paths, Connect connect, Duration patience, List<PeerAddress> gateways) {
        this(address, paths, connect, patience, gateways, null);
    }

    /** One that is connected to when it is asked for, by one try. */
    public PeerSpec(PeerAddress address, PathPolicy paths) {
        this(address, paths, NodeDefaults.PEER_CONNECT, NodeDefaults.PEER_PATIENCE);
    }

    /** As above, over the node's own paths; the address is in a form that {@link PeerAddress#parse} reads. */
    public static PeerSpec of(String address) {
        return new PeerSpec(PeerAddress.parse(address), PathPolicy.unchanged());
    }

    /** The same, connected to at another time. */
    public PeerSpec with(Connect other) {
        return new PeerSpec(address, paths, other, patience, gateways, tls);
    }

    /** The same, waited for by {@link io.weir.channel.Node#peer} for so long. */
    public PeerSpec withPatience(Duration other) {
        return new PeerSpec(address, paths, connect, other, gateways, tls);
    }

    /** The same, reached through these gateways, the nearest first. */
    public PeerSpec through(List<PeerAddress> others) {
        return new PeerSpec(address, paths, connect, patience, others, tls);
    }

    /** The same, protected in this way. */
    public PeerSpec withTls(TlsSpec other) {
        return new PeerSpec(address, paths, connect, patience, gateways, other);
    }
}
