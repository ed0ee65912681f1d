package io.weir.integration;

class TcpSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.TCP;
    }
}
