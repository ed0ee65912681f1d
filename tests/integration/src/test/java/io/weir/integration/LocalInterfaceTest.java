package io.weir.integration;

class LocalInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.LOCAL;
    }
}
