package io.weir.service.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.function.Supplier;

/** A {@code ServerSocket} whose sockets run over channels. */
final class ChannelServerSocket extends ServerSocket {

    private final ListeningEnd listening;
    private final Supplier<SocketEnd> ends;

    ChannelServerSocket(ListeningEnd listening, Supplier<SocketEnd> ends) {
        super(listening);
        this.listening = listening;
        this.ends = ends;
    }

    @Override
    public Socket accept() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isBound()) {
            throw new SocketException("Socket is not bound yet");
        }
        Socket accepted = new ChannelSocket(ends.get());
        try {
            implAccept(accepted);
            return accepted;
        } finally {
            // Otherwise whoever accepts again until the server socket is closed would do so for ever.
            if (listening.isOver()) {
                close();
            }
        }
    }
}
