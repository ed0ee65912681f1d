package io.weir.integration;

import org.junit.jupiter.api.Tag;

@Tag("one-jdk")
class TcpChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
