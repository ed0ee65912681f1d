package io.weir.service;

import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * A service that is served and announced. Withdrawn in the other order: so nobody who has found it meets a closed port.
 * Any thread.
 */
final class Serving implements Registration {

    /** A client that sees that the announcement is gone may have begun a call just before. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private final Disposable.Swap stop = Disposables.swap();
    private final Mono<Registration> announced;
    private final Mono<Void> hidden;
    private final Mono<Void> withdrawn;
    private volatile ServiceInstance now;

    /**
     * Nothing happens before {@link #begin}.
     *
     * @param serving serves it, and yields what ends that; what was begun is finished then
     * @param over called when it is not served any more
     */
    Serving(ServiceDirectory directory, ServiceInstance instance, Mono<Disposable> serving, Runnable over) {
        this.now = instance;
        this.announced = serving.doOnNext(stop::replace)
                .then(Mono.defer(() -> directory.announce(instance)))
                .doOnError(error -> end(over))
                .cache();
        this.hidden =
                announced.onErrorComplete().flatMap(Registration::withdraw).cache();
        this.withdrawn = announced
                .onErrorComplete()
                .flatMap(there -> hidden.then(Mono.delay(GRACE)).then())
                .doOnTerminate(() -> end(over))
                .cache();
    }

    private void end(Runnable over) {
        stop.dispose();
        over.run();
    }

    /** Serves and announces. Who loses interest before that is done does not want the service at all. */
    Mono<Registration> begin() {
        AtomicBoolean given = new AtomicBoolean();
        return announced
                .<Registration>map(there -> this)
                .doOnNext(there -> given.set(true))
                .doOnCancel(() -> {
                    if (!given.get()) {
                        withdrawn.subscribe(nothing -> {}, error -> {});
                    }
                });
    }

    @Override
    public ServiceInstance instance() {
        return now;
    }

    @Override
    public Mono<Void> attributes(Map<String, String> attributes) {
        return announced
                .flatMap(there -> there.attributes(attributes))
                .doOnSuccess(nothing -> now = now.withAttributes(attributes));
    }

    /** Takes back the announcement only. */
    Mono<Void> hide() {
        return hidden;
    }

    @Override
    public Mono<Void> withdraw() {
        return withdrawn;
    }
}
