package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A source without an end, and a receiver that takes its time: nobody drowns. */
public final class Readings {

    private static final Codec<String> TEXT = Codecs.text();

    private final AtomicLong made = new AtomicLong();

    /** How many readings the source was asked for so far. */
    public long made() {
        return made.get();
    }

    public void serve(Node node) {
        // tag::endless
        Flux<String> readings = Flux.generate(sink -> sink.next("reading " + made.incrementAndGet()));
        node.serve("readings", channel -> channel.send(readings, TEXT));
        // end::endless
    }

    public Flux<String> store(Peer peer) {
        // tag::slowly
        Flux<String> stored = peer.channel("readings")
                .flatMapMany(channel -> channel.receive(TEXT))
                .limitRate(8)
                .concatMap(this::write, 0);
        // end::slowly
        return stored;
    }

    /** As a database would: later, on another thread. */
    private Mono<String> write(String reading) {
        return Mono.just(reading).hide().publishOn(Schedulers.parallel());
    }

    public void serveOnRequest(Node node) {
        // tag::stream
        node.stream(
                "history",
                TEXT,
                TEXT,
                last -> Flux.range(1, Integer.parseInt(last)).map(day -> "day " + day));
        // end::stream
    }

    public Flux<String> history(Peer peer, int days) {
        // tag::history
        Flux<String> history = peer.stream("history", Integer.toString(days), TEXT, TEXT);
        // end::history
        return history;
    }
}
