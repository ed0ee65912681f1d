package io.weir.integration.channel;

import io.weir.integration.Route;

/** Over a stream, where requests come in pieces of what is read, and are gathered before they are written. */
class AsksInPlaceOverTcpTest extends AsksInPlaceTest {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
