package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.peer.Arrival;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import reactor.core.Disposable;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Publishes what becomes of connections that others make to the node as events of the application. */
final class ArrivalEvents implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(ArrivalEvents.class);

    /** What listeners may be behind, as strangers can bring about as many as they like. */
    private static final int MOST_WAITING = 1024;

    private final ApplicationEventPublisher publisher;
    private final Disposable watching;

    ArrivalEvents(Mono<Node> node, ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        this.watching = node.flatMapMany(Node::arrivals)
                .onBackpressureBuffer(MOST_WAITING, missed -> {}, BufferOverflowStrategy.DROP_OLDEST)
                // Listeners may block, and loops must not.
                .publishOn(Schedulers.boundedElastic(), 1)
                // If there is no node, the application fails and says why.
                .subscribe(this::publish, error -> {});
    }

    private void publish(Arrival arrival) {
        try {
            publisher.publishEvent(arrival);
        } catch (RuntimeException e) {
            LOG.warn("A listener to arrivals has failed", e);
        }
    }

    @Override
    public void destroy() {
        watching.dispose();
    }
}
