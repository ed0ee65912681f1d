package io.weir.integration;

class NioChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.NIO;
    }
}
