package io.weir.samples.shop.orders;

import io.weir.samples.shop.shared.LastSpans;
import io.weir.samples.shop.shared.Prices;
import io.weir.samples.shop.shared.ShopProcess;
import io.weir.spring.ImportRemoteServices;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

// tag::shopimport
/** Takes orders over HTTP, and asks the price service what they cost. */
@SpringBootApplication(proxyBeanMethods = false)
@ImportRemoteServices(group = "prices", types = Prices.class)
@Import(LastSpans.class)
public class OrderService {

    public static void main(String[] arguments) throws Exception {
        ShopProcess.run(OrderService.class, arguments);
    }
}
// end::shopimport
