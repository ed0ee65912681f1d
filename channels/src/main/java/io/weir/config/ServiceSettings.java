package io.weir.config;

import io.weir.core.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration says of a service. Prints no password.
 *
 * @param addresses where it is served, whatever the directory says ({@code weir.services.<service>.addresses})
 * @param password what a client has to prove to know, on the side that serves it, and what is proved, on the side that
 *     calls it ({@code weir.services.<service>.password}); null if there is none
 * @param patience how long a call waits while no instance can be reached, 1 ms to 1 h
 *     ({@code weir.services.<service>.wait})
 * @param balance which instance takes a call ({@code weir.services.<service>.balance})
 */
public record ServiceSettings(
        List<PeerAddress> addresses, @Nullable Password password, Duration patience, Balance balance) {

    /** Of a service that the configuration does not name. */
    public static final ServiceSettings STANDARD =
            new ServiceSettings(List.of(), null, NodeDefaults.SERVICE_PATIENCE, NodeDefaults.SERVICE_BALANCE);

    /** Copies the list. */
    public ServiceSettings {
        addresses = List.copyOf(addresses);
        Objects.requireNonNull(patience, "patience");
        Objects.requireNonNull(balance, "balance");
    }

    /** The same, served here. */
    public ServiceSettings withAddresses(List<PeerAddress> others) {
        return new ServiceSettings(others, password, patience, balance);
    }

    /** The same, with this password. */
    public ServiceSettings withPassword(Password other) {
        return new ServiceSettings(addresses, other, patience, balance);
    }

    /** The same, waited for so long. */
    public ServiceSettings withPatience(Duration other) {
        return new ServiceSettings(addresses, password, other, balance);
    }

    /** The same, its instances chosen in this way. */
    public ServiceSettings withBalance(Balance other) {
        return new ServiceSettings(addresses, password, patience, other);
    }
}
