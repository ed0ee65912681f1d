package io.weir.integration;

class LocalChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
