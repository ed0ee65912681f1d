package io.weir.integration.socket;

import io.weir.integration.Route;

class ShmSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.SHM;
    }
}
