package io.weir.core;

import java.util.Map;

/**
 * What a node states about itself to a peer before a path is chosen.
 *
 * @param id who it is
 * @param bootId the identity of the running kernel, empty if unknown; equal on two nodes of one host, also in two
 *     containers
 * @param uid the numeric user, or -1 where there is none
 * @param process unique to the running process: equal only for two nodes of one JVM
 * @param host host name, for display only
 * @param pid process number, for display only
 * @param ready by path name, the card of each path that is ready
 * @param missing by path name, why the path is not ready there
 */
public record PeerCard(
        PeerId id,
        String bootId,
        long uid,
        String process,
        String host,
        long pid,
        Map<String, String> ready,
        Map<String, String> missing) {

    public PeerCard {
        ready = Map.copyOf(ready);
        missing = Map.copyOf(missing);
    }
}
