package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.core.RareLog;
import io.weir.peer.Arrival;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Publishes each {@link Arrival} at the node as an event of the application. */
final class ArrivalEvents implements DisposableBean {

    /** How far listeners may fall behind: strangers can cause as many events as they like. */
    private static final int MOST_WAITING = 1024;

    private final RareLog failures = new RareLog(LoggerFactory.getLogger(ArrivalEvents.class), System::nanoTime);
    private final ApplicationEventPublisher publisher;
    private final Disposable watching;

    ArrivalEvents(Mono<Node> node, ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        // If there is no node, the application fails and says why.
        this.watching = node.onErrorComplete()
                .flatMapMany(Node::arrivals)
                .onBackpressureBuffer(MOST_WAITING, missed -> {}, BufferOverflowStrategy.DROP_OLDEST)
                // Listeners may block, and loops must not.
                .publishOn(Schedulers.boundedElastic(), 1)
                .subscribe(this::publish);
    }

    private void publish(Arrival arrival) {
        try {
            publisher.publishEvent(arrival);
        } catch (Throwable t) {
            // Also an error of a listener must not end the events for the others.
            Exceptions.throwIfJvmFatal(t);
            failures.warn("A listener to arrivals has failed: " + NestedExceptionUtils.getMostSpecificCause(t));
        }
    }

    @Override
    public void destroy() {
        watching.dispose();
    }
}
