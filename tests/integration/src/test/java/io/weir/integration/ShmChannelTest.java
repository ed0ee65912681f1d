package io.weir.integration;

class ShmChannelTest implements ChannelContract {

    @Override
    public Route route() {
        return Route.SHM;
    }
}
