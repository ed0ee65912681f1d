package io.weir.service.socket;

import io.weir.channel.Peer;
import io.weir.core.WeirException;
import java.net.Socket;
import java.net.SocketException;

/** A {@code Socket} over a channel: everything that the JDK's class does, with another end. */
final class ChannelSocket extends Socket {

    private final SocketEnd end;

    ChannelSocket(SocketEnd end) throws SocketException {
        super(end);
        this.end = end;
    }

    /** Who is at the other end of one that was accepted. */
    Peer peer() {
        return end.peer();
    }

    /** Resets it, and gives the peer the reason. */
    void refuse(WeirException reason) {
        end.refuse(reason);
    }
}
