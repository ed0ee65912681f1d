package io.weir.samples.manual;

import io.weir.channel.Channel;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.service.ServiceClient;
import io.weir.spring.ChannelHandler;
import io.weir.spring.ImportRemoteServices;
import io.weir.spring.NodeSpecCustomizer;
import io.weir.spring.PeerPort;
import io.weir.spring.RemoteService;
import io.weir.spring.ServedPort;
import io.weir.spring.WeirPeer;
import java.util.Locale;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the page on Spring Boot shows. */
final class BootProgram {

    private static final Codec<String> TEXT = Codecs.text();

    private BootProgram() {}

    // tag::bootServe
    @RemoteService
    static class StoredPrices implements Prices {

        @Override
        public Mono<Price> quote(String article) {
            return Mono.just(new Price(article, 1_99));
        }

        @Override
        public Flux<Price> ticks(String article) {
            return Flux.range(0, Integer.MAX_VALUE).map(tick -> new Price(article, tick));
        }
    }
    // end::bootServe

    // tag::bootCall
    @Component
    static class Orders {

        private final Prices prices;

        Orders(Prices prices) {
            this.prices = prices;
        }

        Mono<Long> total(String article, int count) {
            return prices.quote(article).map(price -> price.cents() * count);
        }
    }
    // end::bootCall

    // tag::bootGroup
    @Configuration(proxyBeanMethods = false)
    @ImportRemoteServices(group = "prices", types = Prices.class)
    static class Remote {}
    // end::bootGroup

    /** Channels. */
    @Configuration(proxyBeanMethods = false)
    static class Channels {

        // tag::bootHandler
        @Bean
        @ServedPort("upper")
        ChannelHandler upper() {
            return channel -> channel.send(channel.receive(TEXT).map(text -> text.toUpperCase(Locale.ROOT)), TEXT);
        }
        // end::bootHandler

        // tag::bootCustomizer
        @Bean
        NodeSpecCustomizer patient() {
            return spec -> spec.transportOption("tcp", "linger", "10s");
        }
        // end::bootCustomizer
    }

    // tag::bootPort
    @Component
    static class Shouting {

        private final WeirPeer peer;
        private final ServiceClient upper;
        private final Mono<Channel> channel;

        Shouting(
                @Qualifier("prices") WeirPeer peer,
                @PeerPort(peer = "prices", port = "upper") ServiceClient upper,
                @PeerPort(peer = "prices", port = "upper") Mono<Channel> channel) {
            this.peer = peer;
            this.upper = upper;
            this.channel = channel;
        }

        Flux<String> shout(Flux<String> texts) {
            return texts.transform(upper.stage(TEXT, TEXT));
        }

        Mono<Void> say(Flux<String> texts) {
            return channel.flatMap(opened -> opened.send(texts, TEXT));
        }

        Mono<String> path() {
            return peer.connection().map(connected -> connected.path().line());
        }
    }
    // end::bootPort

    static NodeSpec spec(NodeSpecCustomizer customizer) {
        return customizer.customize(NodeSpec.builder()).build();
    }
}
