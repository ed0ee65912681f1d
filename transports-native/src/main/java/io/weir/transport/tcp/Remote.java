package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.weir.core.Ends;
import io.weir.core.PeerAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * The other end of a connection, for messages.
 *
 * @param address where it is
 * @param accepted whether it has connected to us, rather than we to it
 */
record Remote(String address, boolean accepted) {

    static Remote connectedTo(PeerAddress address) {
        return new Remote(address.toString(), false);
    }

    /** What the kernel knows of who connected to this address of ours. */
    static Remote acceptedFrom(SocketAddress remote, PeerAddress local) {
        return remote instanceof InetSocketAddress inet
                ? new Remote(of(inet).toString(), true)
                : new Remote(local.toString(), true);
    }

    static PeerAddress of(InetSocketAddress inet) {
        return new PeerAddress(inet.getAddress().getHostAddress(), inet.getPort());
    }

    /** Both ends of this connection. */
    static Ends ends(Channel channel) {
        if (channel.localAddress() instanceof InetSocketAddress near
                && channel.remoteAddress() instanceof InetSocketAddress far) {
            return new Ends(near, far, -1);
        }
        if (channel instanceof EpollDomainSocketChannel unix) {
            try {
                return new Ends(null, null, unix.peerCredentials().uid());
            } catch (IOException e) {
                return Ends.UNKNOWN;
            }
        }
        return Ends.UNKNOWN;
    }

    /** Who it is while nothing is known of it, at the beginning of a sentence. */
    String stranger() {
        return (accepted ? "what connected from " : "what listens at ") + address;
    }

    /** The connection, at the beginning of a sentence. */
    String connection() {
        return (accepted ? "the connection from " : "the connection to ") + address;
    }
}
