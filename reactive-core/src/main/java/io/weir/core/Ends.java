package io.weir.core;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The two ends of a connection as the kernel knows them, whatever is said over it.
 *
 * @param near where it ends here; null if that is no address of the network, or not known
 * @param far where it ends at the other side; null likewise
 * @param user the user id of the other end of a Unix-domain socket; -1 for other connections
 */
public record Ends(
        @Nullable InetSocketAddress near, @Nullable InetSocketAddress far, long user) {

    /** Nothing is known. */
    public static final Ends UNKNOWN = new Ends(null, null, -1);
}
