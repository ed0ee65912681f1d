package io.weir.samples.broadcast;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.samples.process.Cast;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code weir sample broadcast} */
@Command(
        name = "broadcast",
        description = {
            "One source of 500 readings, and three other processes that read them, one of them slowly: 2 ms for each.",
            "First nobody may miss a reading; then the slow one may, so that nobody waits for it."
        })
public final class Broadcast extends Sample {

    private static final int READINGS = 500;
    private static final String SLOW = "slow";
    private static final List<String> READERS = List.of("near", "far", SLOW);
    private static final Duration SLOWLY = Duration.ofMillis(2);

    /** What a reader has seen. */
    public record Seen(String reader, int count, int last) {

        private Seen and(int reading) {
            return new Seen(reader, count + 1, reading);
        }
    }

    private static final Codec<byte[]> BYTES = Codecs.bytes();
    private static final Codec<Integer> READING = Codecs.json(Integer.class);
    private static final Codec<Seen> SEEN = Codecs.json(Seen.class);

    /** A reader, in a process of its own. */
    public static void main(String[] arguments) throws IOException {
        String name = arguments[0];
        Duration each = name.equals(SLOW) ? SLOWLY : Duration.ZERO;
        Serving.until(Serving.spec(name).toBuilder().initialItems(0).build(), node -> serve(node, name, each));
    }

    private static void serve(Node node, String name, Duration each) {
        // tag::reader
        node.serve("readings", channel -> {
            Flux<Integer> readings = channel.receive(READING)
                    .limitRate(8)
                    .concatMap(
                            reading -> each.isZero()
                                    ? Mono.just(reading)
                                    : Mono.just(reading).delayElement(each),
                            0);
            return channel.send(readings.reduce(new Seen(name, 0, 0), Seen::and), SEEN);
        });
        // end::reader
    }

    /** What the readers have seen, when the source has ended; the slow one gets what this leaves it. */
    private static Flux<Seen> readings(List<Peer> readers, Flux<Integer> source, UnaryOperator<Flux<byte[]>> slowly) {
        // tag::broadcast
        Flux<byte[]> shared = source.map(Broadcast::encode).publish(8).refCount(readers.size());
        Flux<Seen> seen = Flux.fromIterable(readers)
                .flatMap(peer -> (peer.id().name().equals(SLOW) ? slowly.apply(shared) : shared)
                        .transform(peer.stage("readings", BYTES, SEEN)));
        // end::broadcast
        return seen;
    }

    private static byte[] encode(int reading) {
        return Integer.toString(reading).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    protected void play(Cast cast) {
        List<Peer> readers = cast.startAll(Broadcast.class, READERS);
        List<Seen> all = run(cast, "everything", readers, shared -> shared);
        cast.shows(all.stream().allMatch(each -> each.count() == READINGS), "everybody has every reading");

        List<Seen> some = run(cast, "latest", readers, Flux::onBackpressureLatest);
        cast.shows(
                some.stream()
                        .allMatch(each ->
                                each.count() == READINGS != each.reader().equals(SLOW)),
                "only the slow one misses readings");
        cast.shows(some.stream().allMatch(each -> each.last() == READINGS), "everybody has the last one");
    }

    private static List<Seen> run(Cast cast, String label, List<Peer> readers, UnaryOperator<Flux<byte[]>> slowly) {
        AtomicInteger ahead = new AtomicInteger();
        long begun = System.nanoTime();
        Flux<Integer> source = Flux.range(1, READINGS).doOnNext(ahead::set);
        List<Seen> seen = cast.await(readings(readers, source, slowly).collectList());
        cast.row(label, "in " + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        seen.forEach(each ->
                cast.row("", each.reader() + " has seen " + each.count() + " readings, up to number " + each.last()));
        return seen;
    }
}
