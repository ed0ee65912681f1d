package io.weir.spring;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.service.Services;
import io.weir.service.gateway.Gateway;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How it stands with the application's node, only looked at: nothing is made, connected to or waited for. Any thread,
 * also one that must not block.
 */
public interface WeirStatus {

    /** The node, unless it is not there yet. */
    Optional<Node> node();

    /** The services, unless nothing has needed them yet. */
    Optional<Services> services();

    /** The gateways that this application is, if it has beans of them. */
    List<Gateway> gateways();

    /** The peers that the configuration names, by name; also when the node is not there yet. */
    List<NamedPeer> peers();

    /**
     * A peer that the configuration names.
     *
     * @param name its name there
     * @param optional whether the application is healthy without it
     * @param service the service that is called there where no other is named; null if the interfaces say
     * @param hasAddress whether it has one; else what is called there is looked up in the directory
     * @param state how it stands with the connection; empty without an address or a node
     * @param connection the connection; empty if there is none
     * @param instances how many instances of the service the directory knows; empty with an address, without a service,
     *     or if that is not known yet
     */
    record NamedPeer(
            String name,
            boolean optional,
            @Nullable String service,
            boolean hasAddress,
            Optional<PeerState> state,
            Optional<Peer> connection,
            OptionalInt instances) {}
}
