package io.weir.path;

import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.peer.Identity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection with a node, from its admission to the end of its session, and whether it is with the same one as
 * another. Each node has proved that its id is its own. But where it has shown no certificate, a connection may be one
 * that somebody in between passes on, who can read and change what goes over it; that one must not stand for a
 * connection without him. That is not said of gateways, which both ends have chosen. So two connections are only taken
 * for each other if both have proved the same, and
 *
 * <ul>
 *   <li>a certificate was shown,
 *   <li>or we have dialled the same address twice,
 *   <li>or what was dialled leads to who has accepted, in both.
 * </ul>
 *
 * <p>Immutable.
 *
 * @param dialled what leads to the node by itself; null if it has connected to us, or if we have through a gateway
 * @param direct whether what was dialled leads to who has accepted
 */
public record Contact(
        PeerId peerId, Identity identity, @Nullable PeerAddress dialled, boolean direct) {

    /** Whether both are with the same start of the same node. */
    public boolean isWithSame(Contact other) {
        return peerId.equals(other.peerId) && isWithSameNode(other);
    }

    /** The same, perhaps of another start of that node. */
    public boolean isWithSameNode(Contact other) {
        return peerId.id().equals(other.peerId.id())
                && identity.knowsSecret() == other.identity.knowsSecret()
                && Objects.equals(identity.principal(), other.identity.principal())
                && (identity.provedItself()
                        || (direct && other.direct)
                        || (dialled != null && dialled.equals(other.dialled)));
    }
}
