package io.weir.service.directory;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Who is there, and who serves what: service names to live instances, and the nodes of the cluster. Made for one node,
 * which is a {@link Member} of it from then on.
 *
 * <p><b>What is seen</b> is each directory's own view, which follows the truth with a delay. A directory that can't
 * reach its server keeps showing what it has seen last, and goes on when it can.
 *
 * <p><b>Threads.</b> Any thread may use it. Signals come on threads of the directory, which must not be blocked, or
 * on the thread that asks for more.
 */
public interface ServiceDirectory {

    /**
     * The directory that the configuration of this node names ({@code weir.directory}); the node is a member of it
     * until the directory or the node is closed. Fails with {@link io.weir.core.Misconfigured}, or with
     * {@link io.weir.core.PeerUnavailable} or {@link io.weir.core.AuthenticationFailed} if it has a server. Cancelling
     * closes what was begun.
     */
    static Mono<ServiceDirectory> open(Node node) {
        return StoredDirectory.open(node.spec(), node);
    }

    /**
     * The directory of this configuration, for somebody who only looks: nobody becomes a member, and nothing can be
     * told.
     */
    static Mono<ServiceDirectory> observe(NodeSpec spec) {
        return StoredDirectory.open(spec, null);
    }

    /**
     * Announces that this node serves this, until withdrawn, closed or dead. Completes when others can see it. An
     * announcement is made anew by itself when the directory's server has forgotten it.
     */
    Mono<Registration> announce(ServiceInstance instance);

    /**
     * The live instances of a service: what is known now, perhaps nothing, then each change, as a whole. Who asks
     * slowly gets the latest only. Ends when the directory is closed.
     */
    Flux<List<ServiceInstance>> instances(String service);

    /**
     * The nodes that are there: the present ones as {@link MemberEvent.Kind#JOINED}, whenever one subscribes, then each
     * change. What happens to one member comes in order. A slow subscriber gets the difference between what it knows
     * and what is, for each member at most one event: it may miss that a node came and went, and never what became of
     * one. Ends when the directory is closed.
     */
    Flux<MemberEvent> members();

    /** The nodes that are there, as last seen. */
    List<Member> snapshot();

    /** Changes what this node announces of itself. Completes when others can see it. */
    Mono<Void> attributes(Map<String, String> attributes);

    /**
     * Withdraws everything and leaves. Completes when others can see it, or when the directory's server can't be
     * reached in time.
     */
    Mono<Void> close();
}
