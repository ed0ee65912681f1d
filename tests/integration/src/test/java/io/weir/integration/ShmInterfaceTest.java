package io.weir.integration;

class ShmInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.SHM;
    }
}
