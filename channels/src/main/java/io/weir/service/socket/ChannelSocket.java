package io.weir.service.socket;

import java.net.Socket;
import java.net.SocketException;

/** A {@code Socket} over a channel: everything that the JDK's class does, with another end. */
final class ChannelSocket extends Socket {

    ChannelSocket(SocketEnd end) throws SocketException {
        super(end);
    }
}
