package io.weir.integration.channel;

import io.weir.integration.Route;
import org.junit.jupiter.api.Tag;

@Tag("whole")
class NioChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.NIO;
    }
}
