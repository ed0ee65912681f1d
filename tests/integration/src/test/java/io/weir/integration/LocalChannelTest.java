package io.weir.integration;

import org.junit.jupiter.api.Tag;

@Tag("whole")
class LocalChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
