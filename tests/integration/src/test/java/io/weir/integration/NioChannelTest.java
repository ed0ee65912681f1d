package io.weir.integration;

import org.junit.jupiter.api.Tag;

@Tag("whole")
class NioChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.NIO;
    }
}
