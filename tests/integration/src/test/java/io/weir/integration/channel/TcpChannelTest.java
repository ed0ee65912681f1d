package io.weir.integration.channel;

import io.weir.integration.Route;
import org.junit.jupiter.api.Tag;

@Tag("one-jdk")
class TcpChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
