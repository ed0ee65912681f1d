package io.weir.integration;

class LocalSocketTest extends WeirSocketContract {
    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
