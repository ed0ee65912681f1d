package io.weir.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where peers are, for environments that know it better than the properties do, as those of tests. Addresses of a bean
 * of this type go before those of the properties; everything else that these say of a peer stays.
 */
public interface PeersConnectionDetails extends ConnectionDetails {

    /** By name of the peer, an address in a form that {@link io.weir.core.PeerAddress#parse} reads. */
    Map<String, String> addresses();

    /** Certificates for connections to this peer; null: what the properties say. */
    default @Nullable SslBundle sslBundle(String peer) {
        return null;
    }
}
