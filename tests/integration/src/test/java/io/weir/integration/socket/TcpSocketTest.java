package io.weir.integration.socket;

import io.weir.integration.Route;

class TcpSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.TCP;
    }
}
