package io.weir.service.directory;

import java.util.List;

/**
 * Everything that one node announces of itself. Immutable.
 *
 * @param services all served by the member
 */
record Listing(Member member, List<ServiceInstance> services) {

    Listing {
        services = List.copyOf(services);
    }
}
