package io.weir.samples.shop.orders;

import io.weir.samples.shop.shared.Price;
import io.weir.samples.shop.shared.Prices;
import io.weir.service.ServiceClient;
import io.weir.spring.PeerPort;
import io.weir.spring.WeirCodecs;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// tag::shoporders
@RestController
class OrderController {

    record Wish(String article, int quantity) {}

    private final AtomicLong numbers = new AtomicLong();
    private final Prices prices;
    private final Function<Flux<String>, Flux<Price>> priceList;

    OrderController(
            Prices prices, @PeerPort(peer = "prices", port = "price-list") ServiceClient list, WeirCodecs codecs) {
        this.prices = prices;
        this.priceList = list.stage(codecs.json(String.class), codecs.json(Price.class));
    }

    @PostMapping("/orders")
    Mono<Order> order(@RequestBody Wish wish) {
        return prices.quote(wish.article()).map(price -> ordered(wish, price));
    }

    @GetMapping("/quotes")
    Flux<Price> quotes(@RequestParam List<String> articles) {
        return Flux.fromIterable(articles).transform(priceList);
    }

    @GetMapping(path = "/ticks/{article}", produces = MediaType.APPLICATION_NDJSON_VALUE)
    Flux<Price> ticks(@PathVariable String article, @RequestParam(defaultValue = "20") long take) {
        return prices.ticks(article).take(take);
    }

    private Order ordered(Wish wish, Price price) {
        return new Order(numbers.incrementAndGet(), wish.article(), wish.quantity(), wish.quantity() * price.cents());
    }
}
// end::shoporders
