package io.weir.service.socket;

import java.net.InetAddress;
import java.net.SocketException;
import java.net.SocketOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of a socket. Most of them mean nothing to a channel; they are kept, so that who asks hears what was set.
 */
final class Options {

    /**
     * What the options are before anybody sets them: nothing waits to fill a packet, and buffers are as long as a
     * segment.
     */
    private static final Map<Integer, Object> STANDARD = Map.of(
            SocketOptions.TCP_NODELAY, true,
            SocketOptions.SO_KEEPALIVE, true,
            SocketOptions.SO_REUSEADDR, false,
            SocketOptions.SO_REUSEPORT, false,
            SocketOptions.SO_OOBINLINE, false,
            SocketOptions.IP_TOS, 0,
            SocketOptions.SO_SNDBUF, Segment.LONGEST,
            SocketOptions.SO_RCVBUF, Segment.LONGEST,
            SocketOptions.SO_LINGER, -1);

    private final Map<Integer, Object> set = new ConcurrentHashMap<>();

    void set(int option, Object value) throws SocketException {
        if (option == SocketOptions.SO_LINGER && value instanceof Boolean) {
            set.remove(option);
        } else if (STANDARD.containsKey(option)) {
            set.put(option, value);
        } else if (option != SocketOptions.SO_TIMEOUT) {
            throw new SocketException("option " + option + " is not known");
        }
    }

    @Nullable
    Object get(int option) throws SocketException {
        if (option == SocketOptions.SO_BINDADDR) {
            return InetAddress.getLoopbackAddress();
        }
        Object standard = STANDARD.get(option);
        if (standard == null) {
            throw new SocketException("option " + option + " is not known");
        }
        return set.getOrDefault(option, standard);
    }

    /** Whether closing resets the connection. */
    boolean resets() {
        return Integer.valueOf(0).equals(set.get(SocketOptions.SO_LINGER));
    }
}
