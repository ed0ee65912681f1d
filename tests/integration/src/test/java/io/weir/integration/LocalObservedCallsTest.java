package io.weir.integration;

class LocalObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
