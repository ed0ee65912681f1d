package io.weir.service.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMISocketFactory;
import org.jspecify.annotations.Nullable;

/** Sockets of one node for Java RMI. Those of the same node are equal, so that exported objects share a port. */
final class RmiSockets extends RMISocketFactory {

    private final WeirSockets sockets;

    RmiSockets(WeirSockets sockets) {
        this.sockets = sockets;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return sockets.socketFactory().createSocket(host, port);
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return sockets.serverSocket(port);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RmiSockets it && it.sockets.node().equals(sockets.node());
    }

    @Override
    public int hashCode() {
        return sockets.node().hashCode();
    }
}
