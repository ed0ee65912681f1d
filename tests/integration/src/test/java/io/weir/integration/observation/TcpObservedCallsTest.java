package io.weir.integration.observation;

import io.weir.integration.Route;

class TcpObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
