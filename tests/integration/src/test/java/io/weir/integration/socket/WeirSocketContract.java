package io.weir.integration.socket;

import io.weir.integration.Nodes;
import io.weir.service.socket.WeirSockets;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** Ours, over one path. */
abstract class WeirSocketContract extends SocketContract {

    private WeirSockets nearSockets;
    private WeirSockets farSockets;

    @Override
    void prepare(Nodes nodes) {
        nearSockets = WeirSockets.of(nodes.start("near"));
        farSockets = WeirSockets.of(nodes.start("far"));
    }

    @Override
    ServerSocket listen() throws IOException {
        return farSockets.serverSocket(0);
    }

    @Override
    Socket unconnected() throws IOException {
        return nearSockets.socket();
    }
}
