package io.weir.integration.remote;

import io.weir.integration.Route;

class TcpInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
