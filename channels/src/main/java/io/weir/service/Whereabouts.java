package io.weir.service;

import io.weir.channel.Peer;
import io.weir.config.PathPolicy;
import io.weir.service.directory.ServiceInstance;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Where the instances of a service are known from, and how they are connected to. Any thread. */
interface Whereabouts {

    /** The instances: those that there are now, perhaps none, then each change, as a whole. */
    Flux<List<ServiceInstance>> instances();

    /** Why there may be none. */
    String absence();

    /** What an instance is called for people. */
    String text(ServiceInstance instance);

    /** The paths over which an instance is connected to where nothing else is said. */
    PathPolicy paths();

    /**
     * The connection to an instance, which may be an older one, over another path. Each subscription tries once.
     *
     * @param paths put over {@link #paths()} where the connection is made for this
     */
    Mono<Peer> connect(ServiceInstance instance, PathPolicy paths);

    /** What is known while the first try is under way. */
    String trouble();
}
