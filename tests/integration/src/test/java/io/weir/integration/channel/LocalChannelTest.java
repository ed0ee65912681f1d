package io.weir.integration.channel;

import io.weir.integration.Route;
import org.junit.jupiter.api.Tag;

@Tag("whole")
class LocalChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
