package io.weir.integration.remote;

import io.weir.integration.Route;

class ShmInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.SHM;
    }
}
