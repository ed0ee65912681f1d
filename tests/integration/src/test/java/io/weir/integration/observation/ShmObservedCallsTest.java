package io.weir.integration.observation;

import io.weir.integration.Route;

class ShmObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.SHM;
    }
}
