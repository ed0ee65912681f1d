package io.weir.integration.remote;

import io.weir.integration.Route;

class LocalInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
