/**
 * Nodes, channels and services. What lies between them and a transport, such as the choice of a path, is not exported
 * and may change at any time.
 *
 * <p>Records that Weir encodes, and remote interfaces, have to be in packages that are open to {@code io.weir.core} and
 * to this module.
 */
module io.weir.channel {
    requires transitive io.weir.core;
    requires io.weir.flow;
    requires java.management;
    requires transitive java.rmi;
    requires static micrometer.core;
    requires static micrometer.observation;
    requires static micrometer.commons;
    requires static tools.jackson.core;
    requires static tools.jackson.databind;
    requires static tools.jackson.dataformat.cbor;

    exports io.weir.channel;
    exports io.weir.config;
    exports io.weir.memory;
    exports io.weir.peer;
    exports io.weir.service;
    exports io.weir.service.directory;
    exports io.weir.service.gateway;
    exports io.weir.service.remote;
    exports io.weir.service.socket;

    uses io.weir.core.Bootstrap;
    uses io.weir.core.Transport;
}
