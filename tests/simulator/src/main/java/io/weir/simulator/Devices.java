package io.weir.simulator;

import io.weir.core.Availability;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** By host, the device that its shm path uses, and what it reports. */
final class Devices {

    private final Map<String, Sinks.Many<Availability>> byHost = new HashMap<>();

    private Sinks.Many<Availability> of(String host) {
        return byHost.computeIfAbsent(host, name -> Sinks.many().replay().latest());
    }

    /** Who starts hears the last report first. */
    Flux<Availability> reports(String host) {
        return of(host).asFlux();
    }

    void report(String host, boolean missing) {
        of(host).emitNext(
                        missing ? new Availability.Missing("its device is gone") : new Availability.Ready(),
                        Sinks.EmitFailureHandler.FAIL_FAST);
    }

    void mendAll() {
        byHost.keySet().forEach(host -> report(host, false));
    }
}
