package io.weir.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.channel.Node;
import io.weir.channel.WeirMetrics;
import reactor.core.publisher.Mono;

/**
 * Binds the meters of the node as soon as it is there: registries are bound while the application starts, which must
 * not wait for it.
 */
final class NodeMeters implements MeterBinder {

    private final Mono<WeirMetrics> meters;

    NodeMeters(Mono<Node> node) {
        this.meters = node.map(WeirMetrics::new).cache();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // If there will be no node, the application fails and says why.
        var unused = meters.subscribe(its -> its.bindTo(registry), error -> {});
    }
}
