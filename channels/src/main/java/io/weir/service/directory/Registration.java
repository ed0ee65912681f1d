package io.weir.service.directory;

import java.util.Map;
import reactor.core.publisher.Mono;

/** An announcement that lasts. */
public interface Registration {

    /** What is announced now. */
    ServiceInstance instance();

    /** Announces other attributes. Completes when others can see them. */
    Mono<Void> attributes(Map<String, String> attributes);

    /** Takes the announcement back. Completes when others can see it; idempotent. */
    Mono<Void> withdraw();
}
