package io.weir.benchmark.rmi;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.service.socket.WeirSockets;
import java.io.IOException;
import java.rmi.NotBoundException;
import java.rmi.server.RMISocketFactory;
import java.util.Objects;

/** Runs server or client with Weir's sockets. */
public final class OverWeir {

    private OverWeir() {}

    public static void main(String[] arguments) throws IOException, NotBoundException {
        Node node = Objects.requireNonNull(Node.start(NodeSpec.fromSystem()).block());
        RMISocketFactory.setSocketFactory(WeirSockets.of(node).rmiSocketFactory());
        String[] others = {arguments[1]};
        if (arguments[0].equals("server")) {
            AdderServer.main(others);
        } else {
            AdderClient.main(others);
        }
    }
}
