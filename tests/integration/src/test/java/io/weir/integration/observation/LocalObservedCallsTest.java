package io.weir.integration.observation;

import io.weir.integration.Route;

class LocalObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
