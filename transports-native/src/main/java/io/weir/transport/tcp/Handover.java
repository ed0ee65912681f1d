package io.weir.transport.tcp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;

/**
 * A connection for whoever still wants it. Connecting itself is never cancelled, as a connection that comes in that
 * very moment would be dropped open: it ends by itself, and what came too late is closed.
 */
final class Handover extends Mono<Connection> {

    private final Mono<? extends Connection> connecting;

    Handover(Mono<? extends Connection> connecting) {
        this.connecting = connecting;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Connection> actual) {
        Waiting waiting = new Waiting(actual);
        actual.onSubscribe(waiting);
        var unused = connecting.subscribe(waiting::connected, waiting::failed);
    }

    private static final class Waiting implements Subscription {

        private final CoreSubscriber<? super Connection> actual;
        private final AtomicBoolean over = new AtomicBoolean();

        Waiting(CoreSubscriber<? super Connection> actual) {
            this.actual = actual;
        }

        void connected(Connection connection) {
            if (over.compareAndSet(false, true)) {
                actual.onNext(connection);
                actual.onComplete();
            } else {
                connection.dispose();
            }
        }

        void failed(Throwable error) {
            if (over.compareAndSet(false, true)) {
                actual.onError(error);
            }
        }

        @Override
        public void request(long n) {
            // Whoever subscribes to a connection wants it.
        }

        @Override
        public void cancel() {
            over.set(true);
        }
    }
}
