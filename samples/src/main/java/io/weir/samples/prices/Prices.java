package io.weir.samples.prices;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.samples.process.Cast;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code weir sample prices} */
@Command(
        name = "prices",
        description = {
            "A market streams prices to a consumer in another process that takes 2 ms for each of them.",
            "First it reads the history, of which it wants every price; then the live prices, of which the "
                    + "latest one will do."
        })
public final class Prices extends Sample {

    private static final int TAKEN = 200;
    private static final int AHEAD = 8;
    private static final Duration SLOWLY = Duration.ofMillis(2);
    private static final Duration TICK = Duration.ofNanos(200_000);

    /** One price, and the how manieth it is. */
    public record Price(String symbol, long number, long cents) {

        private static Price of(String symbol, long number) {
            return new Price(symbol, number, 10_000 + number * 7919 % 500);
        }
    }

    private static final Codec<String> TEXT = Codecs.text();
    private static final Codec<Long> NUMBER = Codecs.json(Long.class);
    private static final Codec<Price> PRICE = Codecs.json(Price.class);

    /** The market, in a process of its own. */
    public static void main(String[] arguments) throws IOException {
        AtomicLong made = new AtomicLong();
        AtomicLong ticked = new AtomicLong();
        Serving.until(Serving.spec("market"), node -> {
            serve(node, made, ticked);
            node.answer("made", TEXT, NUMBER, stream -> Mono.just((stream.equals("live") ? ticked : made).get()));
        });
    }

    private static void serve(Node node, AtomicLong made, AtomicLong ticked) {
        // tag::prices
        node.stream(
                "history",
                TEXT,
                PRICE,
                symbol -> Flux.generate(sink -> sink.next(Price.of(symbol, made.incrementAndGet()))));

        node.stream(
                "live",
                TEXT,
                PRICE,
                symbol -> Flux.interval(TICK)
                        .map(tick -> Price.of(symbol, ticked.incrementAndGet()))
                        .onBackpressureLatest());
        // end::prices
    }

    private static List<Price> take(Cast cast, Peer market, String stream, int ahead) {
        // tag::slowconsumer
        Mono<List<Price>> taken = market.stream(stream, "WEIR", TEXT, PRICE)
                .limitRate(ahead)
                .concatMap(price -> Mono.just(price).delayElement(SLOWLY), 0)
                .take(TAKEN)
                .collectList();
        // end::slowconsumer
        return cast.await(taken);
    }

    /** Nothing is sent before it is asked for, so that the figures are those of the demand alone. */
    @Override
    protected NodeSpec.Builder tune(NodeSpec.Builder spec) {
        return spec.initialItems(0);
    }

    @Override
    protected void play(Cast cast) {
        Peer market = cast.start("market", Prices.class);

        List<Price> history = take(cast, market, "history", AHEAD);
        long made = cast.await(market.ask("made", "history", TEXT, NUMBER));
        cast.row("history", "the consumer took " + history.size() + " prices, the market was asked for " + made);
        cast.shows(
                numbers(history)
                        .equals(IntStream.rangeClosed(1, TAKEN)
                                .asLongStream()
                                .boxed()
                                .toList()),
                "no price is left out");
        cast.shows(made <= TAKEN + AHEAD, "the market makes at most " + AHEAD + " prices more than are taken");

        List<Price> live = take(cast, market, "live", 1);
        long ticked = cast.await(market.ask("made", "live", TEXT, NUMBER));
        long last = live.get(live.size() - 1).number();
        cast.row(
                "live",
                "the consumer took " + live.size() + " of the first " + last + " prices; there have been " + ticked
                        + " by now");
        cast.shows(last > TAKEN, "prices that are out of date by the time that the consumer asks are left out");
    }

    private static List<Long> numbers(List<Price> prices) {
        return prices.stream().map(Price::number).toList();
    }
}
