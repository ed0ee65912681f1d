package io.weir.spring.autoconfigure;

import io.weir.spring.PeersConnectionDetails;
import java.util.Map;

/** Peers where the properties say that they are. */
final class PropertiesConnectionDetails implements PeersConnectionDetails {

    private final Map<String, String> addresses;

    PropertiesConnectionDetails(WeirSettings settings) {
        this.addresses = settings.addresses();
    }

    @Override
    public Map<String, String> addresses() {
        return addresses;
    }
}
