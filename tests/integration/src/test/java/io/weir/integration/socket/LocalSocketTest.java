package io.weir.integration.socket;

import io.weir.integration.Route;

class LocalSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
