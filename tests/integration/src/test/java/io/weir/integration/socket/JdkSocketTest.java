package io.weir.integration.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Those that ours are to be like. */
class JdkSocketTest extends SocketContract {

    @Override
    ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @Override
    Socket unconnected() {
        return new Socket();
    }
}
