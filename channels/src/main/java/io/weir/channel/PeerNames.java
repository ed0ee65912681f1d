package io.weir.channel;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Names of peers as metrics may have them. Peers choose their names: those that come beyond {@link PeerTotals#MAX_NAMES} are
 * {@link PeerTotals#OTHERS}, else they could fill a registry. Any thread.
 */
final class PeerNames {

    private final ConcurrentMap<String, String> known = new ConcurrentHashMap<>();

    String label(String name) {
        String label = known.get(name);
        if (label != null) {
            return label;
        }
        // Some more than that, if many come at the same moment.
        return known.size() >= PeerTotals.MAX_NAMES
                ? PeerTotals.OTHERS
                : known.computeIfAbsent(name, DecisionText::harmless);
    }
}
