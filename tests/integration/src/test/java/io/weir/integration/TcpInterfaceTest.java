package io.weir.integration;

class TcpInterfaceTest implements InterfaceContract {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
