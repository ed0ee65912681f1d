package io.weir.integration;

class TcpChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
