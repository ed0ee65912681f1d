package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.service.socket.SocketRelay;
import io.weir.service.socket.WeirSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.Remote;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.UnicastRemoteObject;

/** Sockets over channels, and Java RMI on them. */
final class Sockets {

    private Sockets() {}

    static void echo(Node node) throws IOException {
        // tag::socket_server
        WeirSockets sockets = WeirSockets.of(node);
        try (ServerSocket server = sockets.serverSocket(7500);
                Socket socket = server.accept()) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        }
        // end::socket_server
    }

    static Socket connect(WeirSockets sockets) throws IOException {
        // tag::socket_client
        Socket socket = sockets.socketFactory().createSocket("ledger.example", 7500);
        // end::socket_client
        return socket;
    }

    static SocketRelay relay(WeirSockets sockets) throws IOException {
        // tag::socket_relay
        SocketRelay relay = sockets.relay(7501, new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080));
        // end::socket_relay
        return relay;
    }

    static void everything(Node node) throws IOException {
        // tag::rmi_all
        RMISocketFactory.setSocketFactory(WeirSockets.of(node).rmiSocketFactory());
        // end::rmi_all
    }

    static Remote single(Node node, Remote ledger) throws IOException {
        // tag::rmi_single
        WeirSockets.use(node);
        Remote stub = UnicastRemoteObject.exportObject(
                ledger,
                0,
                WeirSockets.rmiClientSocketFactory(),
                WeirSockets.of(node).rmiServerSocketFactory());
        // end::rmi_single
        return stub;
    }
}
