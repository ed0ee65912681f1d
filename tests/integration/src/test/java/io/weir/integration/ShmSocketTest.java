package io.weir.integration;

class ShmSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.SHM;
    }
}
