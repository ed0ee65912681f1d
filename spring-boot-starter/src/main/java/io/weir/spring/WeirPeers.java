package io.weir.spring;

import io.weir.core.Misconfigured;
import java.util.Set;

/**
 * The peers that the properties name ({@code weir.peers.…}). Each is a bean as well, with its name as the qualifier.
 * Any thread.
 */
public interface WeirPeers {

    /**
     * The peer of this name.
     *
     * @throws Misconfigured if the properties name none, with the nearest one that they do
     */
    WeirPeer get(String name);

    /** What no peer needs to be named for: any instance of a service that the directory knows. */
    WeirPeer any();

    /** All names, sorted. */
    Set<String> names();
}
