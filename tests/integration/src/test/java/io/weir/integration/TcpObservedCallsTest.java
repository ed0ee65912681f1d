package io.weir.integration;

class TcpObservedCallsTest implements ObservedCallsContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
