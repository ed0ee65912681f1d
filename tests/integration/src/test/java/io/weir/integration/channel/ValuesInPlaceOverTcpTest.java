package io.weir.integration.channel;

import io.weir.integration.Route;

/** Over a stream, where values come in pieces of what is read, and are gathered before they are written. */
class ValuesInPlaceOverTcpTest extends ValuesInPlaceTest {

    @Override
    public Route route() {
        return Route.TCP;
    }
}
