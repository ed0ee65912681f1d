package io.weir.channel;

import io.weir.core.Ends;
import io.weir.core.Link;
import io.weir.path.TunnelledLink;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;

/**
 * Where an accepted connection comes from, as the kernel says, or the session of the gateway that has opened it. Those
 * that one can have as many of as he likes are one: the addresses of a network of IPv6, those of the loopback, and the
 * processes of a user.
 *
 * @param place equal for connections from the same place
 */
record Origin(String place) {

    /** Nobody says where from. */
    static final Origin UNKNOWN = new Origin("");

    /** A process of this host takes any of its addresses. */
    private static final Origin LOOPBACK = new Origin("loopback");

    /** Bytes of an address of IPv6 that name the network. */
    private static final int NETWORK = 8;

    static Origin of(Link link) {
        if (link instanceof TunnelledLink tunnel) {
            return new Origin("gateway " + tunnel.gateway());
        }
        return of(link.ends());
    }

    static Origin of(Ends ends) {
        if (ends.far() != null) {
            InetAddress address = ends.far().getAddress();
            if (address.isLoopbackAddress()) {
                return LOOPBACK;
            }
            byte[] bytes = address.getAddress();
            return new Origin(
                    HexFormat.of().formatHex(bytes, 0, address instanceof Inet6Address ? NETWORK : bytes.length));
        }
        return ends.user() >= 0 ? new Origin("uid " + ends.user()) : UNKNOWN;
    }
}
