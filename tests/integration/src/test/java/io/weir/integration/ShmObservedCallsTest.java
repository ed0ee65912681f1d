package io.weir.integration;

class ShmObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.SHM;
    }
}
