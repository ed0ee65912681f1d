package io.weir.samples.shop.prices;

import io.weir.core.Codec;
import io.weir.samples.shop.shared.LastSpans;
import io.weir.samples.shop.shared.Price;
import io.weir.samples.shop.shared.ShopProcess;
import io.weir.spring.ChannelHandler;
import io.weir.spring.ServedPort;
import io.weir.spring.WeirCodecs;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Knows what things cost. It is called over Weir; its web server is only for the actuator. */
@SpringBootApplication(proxyBeanMethods = false)
@Import(LastSpans.class)
public class PriceService {

    public static void main(String[] arguments) throws Exception {
        ShopProcess.run(PriceService.class, arguments);
    }

    // tag::shopport
    @Bean
    @ServedPort("price-list")
    ChannelHandler priceList(ListedPrices prices, WeirCodecs codecs) {
        Codec<String> article = codecs.json(String.class);
        Codec<Price> price = codecs.json(Price.class);
        return channel -> channel.send(channel.receive(article).concatMap(prices::quote), price);
    }
    // end::shopport
}
