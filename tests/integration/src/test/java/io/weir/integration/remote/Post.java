package io.weir.integration.remote;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What is called with values that read themselves. */
interface Post {

    /** Which must not be read by a thread that must not wait. */
    final class Letter implements Serializable {

        private static final long serialVersionUID = 1L;

        static final Queue<String> WRONG_THREADS = new ConcurrentLinkedQueue<>();
        static final AtomicInteger READ = new AtomicInteger();

        final int number;

        Letter(int number) {
            this.number = number;
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            READ.incrementAndGet();
            if (Schedulers.isInNonBlockingThread()) {
                WRONG_THREADS.add(Thread.currentThread().getName());
            }
            in.defaultReadObject();
        }
    }

    Mono<Letter> reply(Letter letter);

    Letter replyNow(Letter letter);

    Flux<Letter> replies(Letter first, Flux<Letter> others);

    Mono<Integer> weigh(Object parcel);

    /** The one who does as it says. */
    final class Office implements Post {

        @Override
        public Mono<Letter> reply(Letter letter) {
            return Mono.just(new Letter(-letter.number));
        }

        @Override
        public Letter replyNow(Letter letter) {
            return new Letter(-letter.number);
        }

        @Override
        public Flux<Letter> replies(Letter first, Flux<Letter> others) {
            return others.startWith(first).map(letter -> new Letter(-letter.number));
        }

        @Override
        public Mono<Integer> weigh(Object parcel) {
            return Mono.just(1);
        }
    }
}
