package io.weir.service.socket;

import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.rmi.server.RMIClientSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Travels in the stubs of objects that were exported with {@link WeirSockets#rmiClientSocketFactory}, and holds
 * nothing: in the JVM where such a stub is used, it makes sockets of {@link WeirSockets#ofJvm() that JVM's node}. That
 * JVM needs Weir on its class path.
 */
public final class WeirClientSocketFactory implements RMIClientSocketFactory, Serializable {

    private static final long serialVersionUID = 1L;

    WeirClientSocketFactory() {}

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return WeirSockets.ofJvm().socketFactory().createSocket(host, port);
    }

    /** All are equal: RMI shares the connections of those that are. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WeirClientSocketFactory;
    }

    @Override
    public int hashCode() {
        return WeirClientSocketFactory.class.hashCode();
    }
}
