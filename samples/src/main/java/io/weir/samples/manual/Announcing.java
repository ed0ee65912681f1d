package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A service that is announced, and looked for. */
final class Announcing {

    private Announcing() {}

    static Mono<Registration> announce(Node node, ServiceDirectory directory) {
        // tag::announce
        ServiceInstance tax = new ServiceInstance(
                "tax", node.id(), node.advertised(), "taxes", false, List.of(), Map.of("zone", "a"));
        Mono<Registration> announced = directory.announce(tax);
        // end::announce
        return announced;
    }

    static Flux<List<ServiceInstance>> find(ServiceDirectory directory) {
        // tag::find
        Flux<List<ServiceInstance>> instances = directory.instances("tax");
        // end::find
        return instances;
    }
}
